import { describe, expect, it } from "vitest";
import { explainSlots, type RankQuery } from "../src/search/rank/index.js";
import { rank } from "./rank.js";
import { buildCorpus } from "./rank-corpus.js";

const TEA = 1;
const GREEN = 2;
const RARE = 3;

const corpus = buildCorpus(
  [
    { terms: { [TEA]: [1, 0, 0], [GREEN]: [0, 2, 1] }, group: 7, vector: [0.6, 0.8] },
    { terms: { [GREEN]: [1, 0, 0], 9: [4, 0, 0] }, group: 7, vector: [-1, 0] },
    { terms: { 9: [1, 0, 0] } },
  ],
  2,
);
const query: RankQuery = {
  terms: [
    { hash: TEA, word: "tea", prior: 0.001 },
    { hash: GREEN, word: "green", prior: 0.001 },
    { hash: RARE, word: "rare", prior: 0.001 },
  ],
  vector: Float32Array.of(1, 0),
};

describe("explainSlots", () => {
  it("lists the terms that an entry has, with their fields", () => {
    const [first, second, third] = explainSlots(corpus, query, [0, 1, 2]);
    expect(first!.terms.map(({ term, fields }) => [term, fields])).toEqual([
      ["tea", { text: 1, context: 0, time: 0 }],
      ["green", { text: 0, context: 2, time: 1 }],
    ]);
    expect(second!.terms.map(({ term }) => term)).toEqual(["green"]);
    expect(third).toEqual({ terms: [], lexical: 0, group: 0, similarity: 0, relevance: 0 });
  });

  it("returns parts that combine to the result of rank", () => {
    const relevance = rank(corpus, query);
    for (const [slot, explained] of explainSlots(corpus, query, [0, 1, 2]).entries()) {
      expect(explained.relevance).toBe(relevance[slot]);
      expect(explained.terms.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(explained.lexical, 6);
      for (const { score, weight } of explained.terms) expect(score).toBeLessThan(weight);
    }
  });

  it("reports the similarity cut at 0, and the same group relevance for all members of a group", () => {
    const [first, second] = explainSlots(corpus, query, [0, 1]);
    expect(first!.similarity).toBeCloseTo(0.6, 6);
    expect(second!.similarity).toBe(0);
    expect(first!.group).toBeGreaterThan(first!.lexical);
    expect(second!.group).toBe(first!.group);
  });
});

describe("a query in some fields", () => {
  const textOnly: RankQuery = { terms: query.terms, fields: ["text"] };

  it("finds words only there", () => {
    const [green] = explainSlots(corpus, textOnly, [0]);
    expect(green!.terms[1]).toMatchObject({ term: "green", score: 0, fields: { context: 2, time: 1 } });
    const inTime = { terms: [query.terms[1]!], fields: ["time"] } as const;
    expect([...rank(corpus, inTime)].map((score) => score > 0)).toEqual([true, false, false]);
  });

  it("gives their terms the same weight and score as a query in all fields", () => {
    const [all] = explainSlots(corpus, query, [0]);
    const [some] = explainSlots(corpus, textOnly, [0]);
    expect(some!.terms[0]).toEqual(all!.terms[0]);
    expect(explainSlots(corpus, { ...query, fields: ["text", "context", "time"] }, [0, 1])).toEqual(
      explainSlots(corpus, query, [0, 1]),
    );
  });
});
