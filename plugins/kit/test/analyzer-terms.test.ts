import { describe, expect, it } from "vitest";
import { addOccurrence, FIELD_SHIFT, fieldCount, packTerms } from "../src/analyzer/packed-terms.js";
import { termHash } from "../src/analyzer/term-hash.js";

describe("termHash", () => {
  it.each([
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["foobar", 0xbf9cf968],
    ["tea", 3020023337],
  ])("of %j is FNV-1a, unsigned", (term, hash) => {
    expect(termHash(term)).toBe(hash);
  });
});

describe("packed terms", () => {
  it("counts the fields apart", () => {
    const { text, context, time } = FIELD_SHIFT;
    const counts = [text, context, context, time].reduce(addOccurrence, 0);
    expect(counts).toBe(0b1_0000000010_0000000001);
    expect([text, context, time].map((shift) => fieldCount(counts, shift))).toEqual([1, 2, 1]);
  });

  it("stops at 1023 in each field without touching the next", () => {
    for (const shift of [0, 10, 20]) {
      let counts = 0;
      for (let occurrence = 0; occurrence < 2000; occurrence++) counts = addOccurrence(counts, shift);
      expect(counts).toBe(1023 * 2 ** shift);
    }
  });

  it("are pairs of hash and counts", () => {
    const packed = packTerms(
      new Map([
        [4294967295, 3],
        [7, 1024],
      ]),
    );
    expect([...packed]).toEqual([4294967295, 3, 7, 1024]);
  });
});
