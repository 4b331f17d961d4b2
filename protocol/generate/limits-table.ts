import { LIMITS } from "../src/limits.js";

/**
 * Returns the limits table of `spec/01-envelope.md`: values from `LIMITS`, descriptions from its comments.
 */
export function limitsTableMarkdown(source: string): string {
  const meanings = new Map(
    [...source.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+): /gm)].map(([, meaning, name]) => [
      name!,
      meaning!,
    ]),
  );
  const rows = Object.entries(LIMITS).map(([name, max]) => {
    const meaning = meanings.get(name);
    if (meaning === undefined) throw new Error(`limit \`${name}\` has no comment`);
    return `| \`${name}\` | ${max.toLocaleString("en-US")} | ${meaning} |`;
  });
  return ["| limit | max | applies to |", "|---|---|---|", ...rows].join("\n");
}
