import { describe, expect, it } from "vitest";
import { addOccurrence, FIELD_SHIFT, fieldCount } from "../src/analyzer/packed-terms.js";
import { TermCounts } from "../src/analyzer/term-counts.js";
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

  it("are pairs of hash and counts, in order of first occurrence", () => {
    const counts = new TermCounts();
    counts.add(4294967295, FIELD_SHIFT.text);
    counts.add(7, FIELD_SHIFT.context);
    counts.add(4294967295, FIELD_SHIFT.text);
    counts.addPacked(Uint32Array.of(7, 1 << FIELD_SHIFT.time, 0, 5));
    expect([...counts.pack()]).toEqual([4294967295, 2, 7, 1024 + (1 << 20), 0, 5]);
  });

  it("of the next entry have nothing of the one before", () => {
    const counts = new TermCounts();
    for (let hash = 0; hash < 1_000; hash++) counts.add(hash, FIELD_SHIFT.text);
    expect(counts.pack()).toHaveLength(2_000);
    counts.clear();
    counts.add(999, FIELD_SHIFT.text);
    expect([...counts.pack()]).toEqual([999, 1]);
  });
});
