import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashTable } from "../src/search/hash-table.js";

const hash = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const value = fc.integer({ min: 0, max: 2 ** 32 - 2 });

describe("a hash table", () => {
  it("agrees with a Map for any expected size", () => {
    fc.assert(
      fc.property(fc.dictionary(hash.map(String), value), fc.nat(200), (filed, expected) => {
        const table = new HashTable(expected);
        const entries = Object.entries(filed).map(([key, filedValue]) => [Number(key), filedValue] as const);
        for (const [key, filedValue] of entries) table.add(key, filedValue);
        for (const [key, filedValue] of entries) expect(table.get(key)).toBe(filedValue);
        expect(new Map(table.entries())).toEqual(new Map(entries));
        expect(table.count).toBe(entries.length);
      }),
    );
  });

  it.each([
    [0, 0],
    [1, 2],
    [32, 64],
    [33, 128],
    [64, 128],
  ])("reserves for %i entries %i positions", (expected, places) => {
    expect(new HashTable(expected).sizeBytes).toBe(8 * places);
  });
});
