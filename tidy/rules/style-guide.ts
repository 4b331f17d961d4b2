import type { Finding } from "../syntax.js";

/** What the style guide names and is not there, and rules that it does not name or that no bad example tests. */
export function checkStyleGuide(guide: string, files: readonly string[]): Finding[] {
  const rules = files.flatMap((path) => /^tidy\/rules\/(.+)\.ts$/.exec(path)?.[1] ?? []);
  const named = namedBy("tidy", guide);
  const tests = namedBy("test", guide);
  const lines = guide.split("\n").filter((line) => line.startsWith("- "));
  return [
    ...rules.filter((rule) => !named.includes(rule)).map((rule) => `STYLE.md: does not name tidy: ${rule}`),
    ...named.filter((rule) => !rules.includes(rule)).map((rule) => `STYLE.md: there is no tidy: ${rule}`),
    ...tests.filter((path) => !files.includes(path)).map((path) => `STYLE.md: there is no test: ${path}`),
    ...rules
      .filter((rule) => !files.includes(`tidy/${rule}.test.ts`))
      .map((rule) => `tidy/rules/${rule}.ts:1 has no tidy/${rule}.test.ts`),
    ...lines
      .filter((line) => !/ \((tsc|biome|tidy|test|npm|reviewer)[^)]*\)$/.test(line))
      .map((line) => `STYLE.md: nobody enforces "${line}"`),
  ];
}

/** `a`, `b` of `(tidy: a; tidy: b)`. */
function namedBy(enforcer: string, guide: string): string[] {
  return [...guide.matchAll(new RegExp(`\\b${enforcer}: ([\\w./-]+)`, "g"))].map(([, name]) => name!);
}
