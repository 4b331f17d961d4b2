import { describe, expect, it } from "vitest";
import { meanMetrics, percentile, questionMetrics } from "../../src/eval/metrics.js";

describe("the metrics of a question", () => {
  it("are all 1 for a single document in first place", () => {
    expect(questionMetrics([1])).toEqual({
      "recall@1": 1,
      "recall@5": 1,
      "recall@10": 1,
      "recall@25": 1,
      "hit@1": 1,
      "any@5": 1,
      "any@10": 1,
      "all@5": 1,
      "all@10": 1,
      mrr: 1,
      "ndcg@10": 1,
    });
  });

  it("are all 0 for documents that are not found", () => {
    expect(Object.values(questionMetrics([null, null]))).toEqual(Array(11).fill(0));
  });

  it("weight all documents equally, and ignore documents beyond the cut", () => {
    const metrics = questionMetrics([12, 3, null]);
    expect(metrics).toMatchObject({ "recall@1": 0, "all@10": 0 });
    expect(metrics["recall@5"]).toBeCloseTo(1 / 3, 12);
    expect(metrics["recall@10"]).toBeCloseTo(1 / 3, 12);
    expect(metrics["recall@25"]).toBeCloseTo(2 / 3, 12);
    expect(metrics.mrr).toBeCloseTo(1 / 3, 12);
    // Gains: 1/log2(4) of 1/log2(2) + 1/log2(3) + 1/log2(4).
    expect(metrics["ndcg@10"]).toBeCloseTo(0.5 / (1 + 0.6309297535714575 + 0.5), 12);
  });

  it("count a question once, if one or all of its documents are found", () => {
    expect(questionMetrics([6, 1])).toMatchObject({
      ...{ "hit@1": 1, "any@5": 1, "any@10": 1, "all@5": 0, "all@10": 1 },
    });
    expect(questionMetrics([6, null])).toMatchObject({
      ...{ "hit@1": 0, "any@5": 0, "any@10": 1, "all@5": 0, "all@10": 0 },
    });
  });

  it("compare more than ten documents with the best ten", () => {
    const metrics = questionMetrics(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(metrics["ndcg@10"]).toBeCloseTo(1, 12);
    expect(metrics["recall@10"]).toBeCloseTo(10 / 12, 12);
    expect(metrics["all@10"]).toBe(0);
  });
});

it("means cover all questions, and are 0 without questions", () => {
  const mean = meanMetrics([questionMetrics([1]), questionMetrics([2]), questionMetrics([null])]);
  expect(mean["recall@1"]).toBeCloseTo(1 / 3, 12);
  expect(mean.mrr).toBeCloseTo(0.5, 12);
  expect(Object.values(meanMetrics([]))).toEqual(Array(11).fill(0));
});

it("a percentile is one of the values", () => {
  const values = [9, 1, 5, 3, 7, 2, 4, 8, 6, 10];
  expect([0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([5, 10, 10]);
  expect(percentile([4], 0.5)).toBe(4);
  expect(percentile([], 0.5)).toBe(0);
});
