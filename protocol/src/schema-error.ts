import type { z } from "zod";
import { formatPath } from "./json-guard.js";
import { MemoryError } from "./memory-error.js";
import { didYouMean } from "./nearest-name.js";

/** The first problem that a schema found, as the error the protocol gives it (clause ERR-4). */
export function schemaError(error: z.ZodError, knownFields: readonly string[], value: unknown): MemoryError {
  const issue = deepest(error.issues[0]!);
  const parts = issue.path as (string | number)[];
  const path = formatPath(parts);
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0]!;
    const full = formatPath([...parts, name]);
    const message = `unknown field \`${full}\`${didYouMean(name, knownFields)}`;
    return new MemoryError("schema_violation", message, { path: full });
  }
  if (issue.code === "too_big" && SIZED.has(issue.origin)) {
    const detail = { limit: path, max: Number(issue.maximum), got: sizeAt(value, issue.path), path };
    return new MemoryError("too_large", `${path} has at most ${issue.maximum}, got ${detail.got}`, detail);
  }
  return new MemoryError("schema_violation", `${path || "message"}: ${reason(issue)}`, { path });
}

/** What has a size, so that too much of it is `too_large`; a number out of range is `schema_violation`. */
const SIZED: ReadonlySet<string> = new Set(["array", "string", "object"]);

function reason(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return "is required";
  return issue.message;
}

/** Of a union's branches, the problem furthest inside is the one that was meant. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1)).map(deepest);
  const best = inner.reduce<z.core.$ZodIssue | undefined>((found, candidate) => {
    const better =
      candidate.path.length > (found?.path.length ?? 0) || (!found && candidate.code === "too_big");
    return better ? candidate : found;
  }, undefined);
  return best === undefined ? issue : ({ ...best, path: [...issue.path, ...best.path] } as z.core.$ZodIssue);
}

/** Characters of a string, elements of a list, fields of an object. */
function sizeAt(value: unknown, path: readonly PropertyKey[]): number {
  let found = value;
  for (const part of path) found = (found as Record<PropertyKey, unknown>)[part];
  const { length } = found as { length?: unknown };
  return typeof length === "number" ? length : Object.keys(found as object).length;
}
