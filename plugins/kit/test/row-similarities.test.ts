import fc from "fast-check";
import { expect, it } from "vitest";
import { RowSimilarities } from "../src/lifecycle/vectors/row-similarities.js";

it("similarities are found by row id in any order, also those that are missing or set later", () => {
  const unordered = fc.uniqueArray(fc.nat(3_000), { maxLength: 400 });
  const ids = fc.oneof(
    unordered,
    unordered.map((all) => all.toSorted((a, b) => a - b)),
  );
  const property = fc.property(ids, ids, fc.array(fc.nat(3_000)), (added, later, asked) => {
    const similarities = new RowSimilarities();
    const expected = new Map<number, number>();
    for (const [at, id] of added.entries()) {
      similarities.add(id, at);
      expected.set(id, at);
    }
    const check = (all: readonly number[]) => {
      for (const id of all) expect(similarities.get(id)).toBe(expected.get(id));
    };
    check(added);
    check(added.filter((_, at) => at % 100 > 80));
    for (const id of later) {
      similarities.set(id, -id);
      expected.set(id, -id);
    }
    check([...added, ...asked, ...added.toReversed()]);
  });
  fc.assert(property, { numRuns: 100 });
});
