import { LIMITS } from "../src/limits.js";

/** The table of limits in `spec/01-envelope.md`: values from `LIMITS`, meanings from the comments in its source. */
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
  return ["| limit | max | of what |", "|---|---|---|", ...rows].join("\n");
}
