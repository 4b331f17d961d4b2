import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createMultilingualAnalyzer } from "../src/index.js";
import { measureLanguages } from "./language-recall.js";

const README = new URL("../../../docs/plugins/languages.md", import.meta.url);

/** Returns the rows of the language table: name, entries, queries, recall at 1 and at 5. */
function tableRows(): Map<string, number[]> {
  const rows = readFileSync(README, "utf8").matchAll(
    /^\| (\w+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$/gm,
  );
  return new Map([...rows].map(([, language, ...numbers]) => [language!.toLowerCase(), numbers.map(Number)]));
}

describe("recall by language", () => {
  const measured = measureLanguages(createMultilingualAnalyzer());
  const table = tableRows();

  it("is in the README for every set of sentences", () => {
    expect([...table.keys()].sort()).toEqual(measured.map(({ language }) => language).sort());
  });

  it.each(measured)("of $language is at least the value in the README", (recall) => {
    const [entries, queries, at1, at5] = table.get(recall.language)!;
    expect([recall.entries, recall.queries]).toEqual([entries, queries]);
    expect(recall.at1, recall.missed.join("; ")).toBeGreaterThanOrEqual(at1!);
    expect(recall.at5, recall.missed.join("; ")).toBeGreaterThanOrEqual(at5!);
  });
});
