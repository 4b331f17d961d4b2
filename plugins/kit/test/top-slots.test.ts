import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TopSlots } from "../src/operations/retrieve/slot-order.js";

describe("the first slots of an order", () => {
  it("equal the first slots of a full sort", () => {
    const property = fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.nat(12), (ranks, limit) => {
      const compare = (a: number, b: number) => ranks[a]! - ranks[b]! || a - b;
      const top = new TopSlots(limit, compare);
      for (let slot = 0; slot < ranks.length; slot++) top.offer(slot);
      const sorted = ranks.map((_, slot) => slot).sort(compare);
      expect(top.sorted()).toEqual(sorted.slice(0, limit));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
