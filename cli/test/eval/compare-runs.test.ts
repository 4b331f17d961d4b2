import { describe, expect, it } from "vitest";
import { compareRuns, hasLoss } from "../../src/eval/compare-runs.js";

/** Questions with one gold document, with these ranks. */
const run = (ranks: readonly (number | null)[]) =>
  ranks.map((rank, index) => ({ id: `q${index}`, type: "t", ranks: [rank] }));

describe("the comparison of two runs", () => {
  it("finds no difference between equal ranks", () => {
    const same = run([1, 4, null]);
    const comparison = compareRuns(same, same);
    expect(comparison.queries).toBe(3);
    for (const difference of Object.values(comparison.differences))
      expect(difference).toEqual({ difference: 0, low: 0, high: 0 });
    expect(hasLoss(comparison)).toBe(false);
  });

  it("returns a deterministic interval around the difference", () => {
    const better = run(Array.from({ length: 40 }, (_, index) => (index < 30 ? 1 : 20)));
    const worse = run(Array.from({ length: 40 }, (_, index) => (index < 10 ? 1 : 20)));
    const { differences } = compareRuns(better, worse);
    expect(differences["recall@10"].difference).toBeCloseTo(0.5, 12);
    expect(differences["recall@10"].low).toBeGreaterThan(0.3);
    expect(differences["recall@10"].low).toBeLessThan(0.45);
    expect(differences["recall@10"].high).toBeGreaterThan(0.55);
    expect(differences["recall@10"].high).toBeLessThan(0.7);
    expect(differences["recall@25"]).toEqual({ difference: 0, low: 0, high: 0 });
    expect(compareRuns(better, worse).differences).toEqual(differences);
    expect(hasLoss(compareRuns(better, worse))).toBe(false);
    expect(hasLoss(compareRuns(worse, better))).toBe(true);
  });

  it("reports no loss for a difference within chance", () => {
    expect(hasLoss(compareRuns(run([1, 1, 1, 2]), run([1, 1, 1, 1])))).toBe(false);
  });

  it("includes only questions in both runs", () => {
    const { queries, only_here, only_in_baseline } = compareRuns(run([1, 2, 3]), [
      ...run([1]),
      { id: "other", type: "t", ranks: [1] },
    ]);
    expect({ queries, only_here, only_in_baseline }).toEqual({
      queries: 1,
      only_here: 2,
      only_in_baseline: 1,
    });
    expect(() => compareRuns(run([1]), [{ id: "other", type: "t", ranks: [1] }])).toThrow(
      "the baseline contains none of these questions",
    );
  });
});
