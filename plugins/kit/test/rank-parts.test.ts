import { describe, expect, it } from "vitest";
import {
  averageLength,
  measureEntry,
  saturation,
  termRarity,
  weightedFrequency,
} from "../src/search/rank/bm25f.js";
import { addGroupRelevance } from "../src/search/rank/group.js";
import { fuseEvidence, relevance } from "../src/search/rank/relevance.js";
import { dotProduct, similarity } from "../src/search/rank/vector.js";

describe("bm25f", () => {
  it("weighs text and time 1, context 0.5", () => {
    expect(weightedFrequency(1)).toBe(1);
    expect(weightedFrequency(1 << 8)).toBe(0.5);
    expect(weightedFrequency(1 << 13)).toBe(1);
    expect(weightedFrequency(3 | (5 << 8) | (2 << 13))).toBe(7.5);
  });

  it("sums the length over all terms of a row, with context words counted twice", () => {
    const terms = Uint32Array.of(77, 20, 78, 3 << 8, 79, 1 << 13);
    expect(measureEntry(terms)).toEqual({ length: 27, contextShare: 1 });
  });

  it("counts an entry of fewer than 10 words as 10", () => {
    expect(measureEntry(new Uint32Array()).length).toBe(10);
    expect(measureEntry(Uint32Array.of(77, 3)).length).toBe(10);
  });

  it("counts context less in an entry of more than 40 words", () => {
    expect(measureEntry(Uint32Array.of(77, 80, 78, 6 << 8))).toEqual({ length: 86, contextShare: 0.5 });
    expect(weightedFrequency(1 << 8, 0.5)).toBe(0.25);
  });

  it("reads maximal counts without mixing fields", () => {
    expect(weightedFrequency(0xffff)).toBe(255 + 31 * 0.5 + 7);
  });

  it("includes 50 virtual entries of 20 words in the average length", () => {
    expect(averageLength(0, 0)).toBe(20);
    expect(averageLength(500, 50)).toBe(15);
  });

  it.each([
    [1, 1, 1, 0.454545],
    [1, 0.5, 1, 0.625],
    [3, 1, 1, 0.714286],
    [1, 4, 1, 0.172414],
    [1, 4, 0.5, 0.25],
    [0, 1, 1, 0],
  ])("saturation of frequency %d at relative length %d with influence %d is %d", (frequency, ...rest) => {
    const [relativeLength, influence, expected] = rest;
    expect(saturation(frequency, relativeLength, influence)).toBeCloseTo(expected, 6);
  });
});

describe("inverse document frequency", () => {
  it.each([
    [0, 0, 1 / 30_000, 4.560454],
    [3, 100, 0.001, 3.515303],
    [3, 100, 0.1, 1.158211],
    [1000, 1000, 0.000001, 0.049241],
  ])("of a word in %d of %d entries with prior %d is %d", (frequency, liveCount, prior, expected) => {
    expect(termRarity(frequency, liveCount, prior).inverseDocumentFrequency).toBeCloseTo(expected, 6);
  });

  it.each([
    [1, 950, 0.000001, 0.0001],
    [2, 950, 0.000001, 0.0909],
    [500, 950, 0.000001, 0.9804],
  ])("the length counts for a word in %d of %d entries with prior %d by %d", (...row) => {
    const [frequency, liveCount, prior, expected] = row;
    expect(termRarity(frequency, liveCount, prior).lengthInfluence).toBeCloseTo(expected, 3);
  });
});

describe("group relevance", () => {
  const grouped = (scores: number[], groups: number[], shares = scores.map(() => 1)) => {
    const column = Float32Array.from(scores);
    addGroupRelevance(column, Uint32Array.from(groups), Float32Array.from(shares));
    return [...column].map((score) => Number(score.toFixed(6)));
  };

  it("uses the best three members of a group: 1 - (1 - s)(1 - 0.3 g)", () => {
    // g = 1 - 0.5 * 0.6 * 0.8 = 0.76
    expect(grouped([0.1, 0.5, 0.2, 0.4], [7, 7, 7, 7])).toEqual([0.3052, 0.614, 0.3824, 0.5368]);
  });

  it("does not change slots without a group or without a match", () => {
    expect(grouped([0.5, 0, 0.5], [0, 4, 4])).toEqual([0.5, 0, 0.575]);
  });

  it("counts less for an entry with a smaller share of context", () => {
    expect(grouped([0.5, 0.5], [4, 4], [0.5, 1])).toEqual([0.55625, 0.6125]);
  });

  it("separates groups", () => {
    expect(grouped([0.5, 0.2], [1, 2])).toEqual([0.575, 0.248]);
  });
});

describe("vector similarity", () => {
  it("handles lengths that are not a multiple of four", () => {
    const data = Float32Array.of(9, 9, 1, 2, 3, 4, 5, 6, 7);
    expect(dotProduct(Float32Array.of(1, 1, 1, 1, 1, 1, 1), data, 2)).toBe(28);
    expect(dotProduct(Float32Array.of(2, -1), data, 2)).toBe(0);
    expect(dotProduct(Float32Array.of(1, 10, 100, 1000), data, 5)).toBe(7654);
  });

  it("is limited to 0..1", () => {
    expect(similarity(Float32Array.of(1, 0), Float32Array.of(-1, 0), 0)).toBe(0);
    expect(similarity(Float32Array.of(1, 0), Float32Array.of(1.0000001, 0), 0)).toBe(1);
    expect(similarity(Float32Array.of(1, 0), Float32Array.of(0.5, 0.5), 0)).toBe(0.5);
  });
});

describe("relevance", () => {
  it.each([
    [0, 0],
    [0.0811, 0.2],
    [0.106, 0.3],
    [0.138, 0.423],
    [0.1607, 0.5],
    [0.2941, 0.781],
    [0.3096, 0.8],
    [0.4545, 0.908],
    [0.6625, 0.967],
    [1, 1],
  ])("of evidence %d is %d", (evidence, expected) => {
    expect(relevance(evidence)).toBeCloseTo(expected, 3);
  });

  it("combines words and vector as independent evidence", () => {
    expect(fuseEvidence(0, 0.5522)).toBeCloseTo(0.13805, 6);
    expect(fuseEvidence(0.5, 0.4)).toBeCloseTo(0.55, 6);
    expect(fuseEvidence(1, 0)).toBe(1);
  });
});
