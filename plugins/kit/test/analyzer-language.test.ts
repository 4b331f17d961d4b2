import { describe, expect, it } from "vitest";
import { createAnalyzer, type Language } from "../src/search/analyzer/index.js";
import { termHash } from "../src/search/analyzer/packed-terms.js";

/** A language with stems that ignore vowels. */
const characters: Language = {
  id: "characters-1",
  stopWords: new Set("aeiou"),
  stem: (word) => word.toUpperCase(),
  stemProbability: (stem) => (stem === "T" ? 0.25 : 0.125),
  describeTime: (seconds) => `d ${seconds / 86_400}`,
};

describe("createAnalyzer", () => {
  const analyzer = createAnalyzer(characters);

  it("has the language's id", () => {
    expect(analyzer.id).toBe("characters-1");
  });

  it("takes words, stop words, stems, time and probabilities from the language", () => {
    const packed = analyzer.analyze({ text: "t e a", context: "a t", occurredAt: 7 * 86_400 + 5 });
    expect([...packed]).toEqual([
      termHash("T"),
      1 + (1 << 8),
      termHash("D"),
      1 << 13,
      termHash("7"),
      1 << 13,
    ]);
    expect(analyzer.analyzeQuery("t e s t")).toEqual([
      { hash: termHash("T"), word: "t", prior: 0.25 },
      { hash: termHash("S"), word: "s", prior: 0.125 },
    ]);
  });
});
