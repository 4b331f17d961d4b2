import { describe, expect, it } from "vitest";
import { createEnglishAnalyzer, type PackedTerms } from "../src/search/analyzer/index.js";
import type { RankCorpus, RankQuery } from "../src/search/rank/index.js";
import { rank } from "./rank.js";
import { buildCorpus, type TestEntry } from "./rank-corpus.js";

const analyzer = createEnglishAnalyzer();

interface Written {
  readonly text: string;
  readonly context?: string;
  readonly occurredAt?: number;
  readonly group?: number;
  readonly vector?: readonly number[];
  readonly alive?: boolean;
}

function entryOf({ text, context = "", occurredAt, ...rest }: Written): TestEntry {
  return { ...rest, terms: countsOf(analyzer.analyze({ text, context, occurredAt })) };
}

function countsOf(packed: PackedTerms): TestEntry["terms"] {
  const terms: Record<number, readonly [number, number, number]> = {};
  for (let index = 0; index < packed.length; index += 2) {
    const counts = packed[index + 1]!;
    terms[packed[index]!] = [counts & 255, (counts >>> 8) & 31, counts >>> 13];
  }
  return terms;
}

function scores(corpus: RankCorpus, query: string, rest: Omit<RankQuery, "terms"> = {}): number[] {
  const found = rank(corpus, { terms: analyzer.analyzeQuery(query), ...rest });
  return [...found].map((score) => Number(score.toFixed(3)));
}

const corpusOf = (...entries: Written[]) => buildCorpus(entries.map(entryOf));

describe("rank by words", () => {
  const tea = corpusOf(
    { text: "The user prefers green tea over coffee" },
    { text: "Deploy the billing service with the blue-green script" },
    { text: "The invoice is due on Friday" },
  );

  it("gives a short entry with all words of the query nearly 1", () => {
    expect(scores(tea, "green tea")).toEqual([0.959, 0.767, 0]);
  });

  it("gives 0 to every entry for a query of stop words or of unknown words", () => {
    expect(scores(tea, "who are you")).toEqual([0, 0, 0]);
    expect(scores(tea, "")).toEqual([0, 0, 0]);
    expect(scores(tea, "quantum chromodynamics")).toEqual([0, 0, 0]);
  });

  it("finds by context and by time, with a lower score than by text if the weight is lower", () => {
    const corpus = corpusOf(
      { text: "Budget agreed" },
      { text: "Agreed", context: "What about the budget?" },
      { text: "Agreed on it", occurredAt: 1_683_554_160 },
    );
    const [byText, byContext, neither] = scores(corpus, "budget");
    expect(byText).toBeGreaterThan(byContext!);
    expect(byContext).toBeGreaterThan(0.5);
    expect(neither).toBe(0);
    expect(scores(corpus, "8 May 2023")[2]).toBeGreaterThan(0.9);
  });

  it("gives a word that every entry has little weight, also if only the time field has it", () => {
    const may = corpusOf(
      { text: "Budget agreed", occurredAt: 1_683_554_160 },
      ...Array.from({ length: 200 }, () => ({ text: "Nothing happened", occurredAt: 1_683_554_160 })),
    );
    const [agreed, nothing] = scores(may, "budget in May 2023");
    expect(agreed).toBeGreaterThan(0.85);
    expect(nothing).toBeLessThan(0.12);
  });
});

describe("rank by vector", () => {
  const vectors = buildCorpus(
    [
      { terms: {}, vector: [0.5522, 0.8337] },
      { terms: {}, vector: [-1, 0] },
      { terms: {} },
      { terms: {}, vector: [0.41, 0.912] },
    ],
    2,
  );

  it("gives related entries more than 0.3 and unrelated ones less", () => {
    expect(scores(vectors, "solar system", { vector: Float32Array.of(1, 0) })).toEqual([0.423, 0, 0, 0.286]);
  });

  it("rejects a vector with other dimensions", () => {
    expect(() => scores(vectors, "", { vector: Float32Array.of(1, 0, 0) })).toThrow(TypeError);
  });

  it("ignores the query vector if the corpus has none", () => {
    expect(scores(corpusOf({ text: "tea" }), "tea", { vector: Float32Array.of(1) })).toEqual([0.96]);
  });
});

describe("rank with dead and filtered slots", () => {
  const entries: Written[] = [
    { text: "green tea", group: 1 },
    { text: "green tea", group: 1, alive: false },
    { text: "green tea", group: 1 },
    { text: "coffee", group: 1 },
  ];

  it("gives these slots 0", () => {
    const found = scores(corpusOf(...entries), "tea", { allowed: Uint8Array.of(1, 1, 0, 1) });
    expect(found.map((score) => score > 0)).toEqual([true, false, false, false]);
  });

  it("ranks as if dead slots did not exist", () => {
    const [first, second] = scores(corpusOf(entries[0]!, entries[2]!, entries[3]!), "tea");
    expect(scores(corpusOf(...entries), "tea")).toEqual([first, 0, second, 0]);
  });
});

describe("rank of long entries", () => {
  const filler = Array.from({ length: 300 }, (_, word) => `filler${word % 150}`).join(" ");
  const corpus = corpusOf(
    { text: `the deploy failed ${filler} deploy again`, group: 1 },
    { text: "The deploy failed because of a certificate", group: 2 },
    { text: `${filler} the certificate with serial QX-4711-Z ${filler}`, context: "deploy failed" },
    ...Array.from({ length: 30 }, (_, note) => ({ text: `${filler} deploy note ${note}` })),
  );

  it("prefers a short entry to a long one that repeats a frequent word", () => {
    const [long, short] = scores(corpus, "why did the deploy fail");
    expect(short).toBeGreaterThan(long!);
  });

  it("finds a rare word in a long entry with a high score", () => {
    expect(scores(corpus, "4711")[2]).toBeGreaterThan(0.5);
  });

  it("counts context little for a long entry", () => {
    expect(scores(corpus, "failed", { fields: ["context"] })[2]).toBeLessThan(0.1);
  });
});
