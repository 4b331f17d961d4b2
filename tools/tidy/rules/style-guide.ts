import type { Finding } from "../syntax.js";

const ENFORCED = / \((tsc|biome|tidy|npm|reviewer)[^)]*\)$/;

/** Rules that the style guide leaves out or makes up, and lines of it that nobody enforces. */
export function checkStyleGuide(guide: string, files: readonly string[], biomeConfig: string): Finding[] {
  const rules = ruleNames(files);
  const named = namedBy("tidy", guide);
  const lines = guide.split("\n").filter((line) => line.startsWith("- "));
  const biomeRules = namedBy("biome", guide).filter((rule) => !biomeConfig.includes(`"${rule}": "error"`));
  return [
    ...rules.filter((rule) => !named.includes(rule)).map((rule) => `STYLE.md: does not name tidy: ${rule}`),
    ...named.filter((rule) => !rules.includes(rule)).map((rule) => `STYLE.md: there is no tidy: ${rule}`),
    ...biomeRules.map((rule) => `STYLE.md: biome.json does not turn on ${rule}`),
    ...lines.filter((line) => !ENFORCED.test(line)).map((line) => `STYLE.md: nobody enforces "${line}"`),
  ];
}

/** Rules that no bad example tests: they may never find anything. */
export function checkRulesAreTested(files: readonly string[]): Finding[] {
  return ruleNames(files)
    .filter((rule) => !files.includes(`tools/tidy/${rule}.test.ts`))
    .map((rule) => `tools/tidy/rules/${rule}.ts:1 has no tidy/${rule}.test.ts`);
}

function ruleNames(files: readonly string[]): string[] {
  return files.flatMap((path) => /^tools\/tidy\/rules\/(.+)\.ts$/.exec(path)?.[1] ?? []);
}

/** `a`, `b` of `(tidy: a, b)`. */
function namedBy(enforcer: string, guide: string): string[] {
  const lists = guide.matchAll(new RegExp(`\\b${enforcer}: ([\\w, -]+)`, "g"));
  return [...lists].flatMap(([, names]) => names!.split(", "));
}
