import { describe, expect, it } from "vitest";
import {
  addOccurrence,
  COUNT_FIELDS,
  fieldCount,
  TermCounts,
  termHash,
} from "../src/search/analyzer/packed-terms.js";

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
  it("counts the fields separately", () => {
    const { text, context, time } = COUNT_FIELDS;
    const counts = [text, context, context, time].reduce(addOccurrence, 0);
    expect(counts).toBe(0b001_00010_00000001);
    expect([text, context, time].map((field) => fieldCount(counts, field))).toEqual([1, 2, 1]);
  });

  it("stop at the maximum of a field without changing the next field", () => {
    const full = Object.values(COUNT_FIELDS).map((field) => {
      let counts = 0;
      for (let occurrence = 0; occurrence < 2000; occurrence++) counts = addOccurrence(counts, field);
      expect(fieldCount(counts, field)).toBe(field.max);
      return counts;
    });
    expect(full).toEqual([0b000_00000_11111111, 0b000_11111_00000000, 0b111_00000_00000000]);
  });

  it("are pairs of hash and counts, in order of first occurrence", () => {
    const counts = new TermCounts();
    counts.add(4294967295, COUNT_FIELDS.text);
    counts.add(7, COUNT_FIELDS.context);
    counts.add(4294967295, COUNT_FIELDS.text);
    counts.addPacked(Uint32Array.of(7, 1 << COUNT_FIELDS.time.shift, 0, 5));
    expect([...counts.pack()]).toEqual([4294967295, 2, 7, (1 << 8) + (1 << 13), 0, 5]);
  });

  it("of an entry do not include terms of the previous one", () => {
    const counts = new TermCounts();
    for (let hash = 0; hash < 1_000; hash++) counts.add(hash, COUNT_FIELDS.text);
    expect(counts.pack()).toHaveLength(2_000);
    counts.clear();
    counts.add(999, COUNT_FIELDS.text);
    expect([...counts.pack()]).toEqual([999, 1]);
  });
});
