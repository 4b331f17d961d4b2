import { describe, expect, it } from "vitest";
import { rank } from "./rank.js";
import { buildCorpus } from "./rank-corpus.js";

const corpus = buildCorpus([
  { terms: { 1: [1, 0, 0], 9: [3, 0, 0] } },
  { terms: { 2: [1, 0, 0], 9: [3, 0, 0] } },
  { terms: { 1: [1, 0, 0], 2: [1, 0, 0], 9: [2, 0, 0] } },
  { terms: { 3: [1, 0, 0], 9: [3, 0, 0] } },
]);
const word = { word: "w", prior: 0.0001 };

describe("alternatives of a term", () => {
  it("count like the term itself, and once if several occur", () => {
    const scores = rank(corpus, { terms: [{ ...word, hash: 1, alternatives: [2, 7] }] });
    expect(scores[0]).toBeGreaterThan(0);
    expect(scores[1]).toBe(scores[0]);
    expect(scores[2]).toBe(scores[0]);
    expect(scores[3]).toBe(0);
  });

  it("without occurrences change nothing", () => {
    const alone = rank(corpus, { terms: [{ ...word, hash: 1 }] });
    expect(rank(corpus, { terms: [{ ...word, hash: 1, alternatives: [7, 8] }] })).toEqual(alone);
  });

  it("are counted by field with the highest count", () => {
    const fields = buildCorpus([
      { terms: { 1: [1, 2, 0], 2: [2, 1, 0] } },
      { terms: { 1: [2, 2, 0], 9: [1, 1, 0] } },
    ]);
    const scores = rank(fields, { terms: [{ ...word, hash: 1, alternatives: [2] }] });
    expect(scores[0]).toBeCloseTo(scores[1]!, 6);
  });
});
