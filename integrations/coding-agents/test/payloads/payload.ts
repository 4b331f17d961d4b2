import { readFileSync } from "node:fs";

/** Reads a payload of the documented shape, with changed fields. */
export function payload(name: string, changes: Readonly<Record<string, unknown>> = {}): unknown {
  const text = readFileSync(new URL(`./${name}.json`, import.meta.url), "utf8");
  return { ...(JSON.parse(text) as object), ...changes };
}
