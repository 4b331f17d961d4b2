import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyIndex } from "../src/search/partition/key-index.js";

/** Returns hashes that collide in the table because their first bytes are similar. */
function hash(number: number): string {
  return `aabbccdd${(number % 3).toString(16)}${number.toString(16).padStart(55, "0")}`;
}

describe("the index of keys", () => {
  it("agrees with a Map after insertions, deletions, growth and rehashing", () => {
    const step = fc.record({ do: fc.constantFrom("set", "set", "delete", "reserve"), number: fc.nat(60) });
    const property = fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const index = new KeyIndex();
      const map = new Map<string, number>();
      let slots = 0;
      for (const { do: action, number } of steps) {
        const key = hash(number);
        if (action === "reserve") index.reserve(number * 4);
        else if (action === "set") {
          index.set(key, slots);
          map.set(key, slots++);
        } else if (map.has(key)) {
          index.delete(map.get(key)!);
          map.delete(key);
        }
      }
      for (let number = 0; number <= 60; number++)
        expect(index.get(hash(number))).toBe(map.get(hash(number)));
      for (const [key, slot] of map) expect(index.hashOf(slot)).toBe(key);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("does not grow with updates of the same keys", () => {
    const index = new KeyIndex();
    index.reserve(20_000);
    const before = index.sizeBytes;
    for (let slot = 0; slot < 20_000; slot++) index.set(hash(slot % 7), slot);
    expect(index.sizeBytes).toBe(before);
    expect(index.get(hash(3))).toBe(19_995);
  });

  it("adds hashes from a byte column, and maps each slot unless its key is mapped already", () => {
    const index = new KeyIndex();
    index.set(hash(9), 0);
    index.addAll(Buffer.from(hash(1) + hash(2) + hash(1) + hash(9), "hex"), 1);
    expect([1, 2, 3, 4].map((slot) => index.claim(slot))).toEqual([undefined, undefined, 1, 0]);
    index.replace(3);
    expect([1, 2, 9].map((number) => index.get(hash(number)))).toEqual([3, 2, 0]);
    expect([1, 3, 4].map((slot) => index.hashOf(slot))).toEqual([hash(1), hash(1), hash(9)]);
  });

  it("orders slots like their hashes in hex", () => {
    const index = new KeyIndex();
    index.set("ff".repeat(32), 0);
    index.set("0a".repeat(32), 1);
    index.set(`${"ff".repeat(31)}fe`, 2);
    expect([0, 1, 2].sort((a, b) => index.compare(a, b))).toEqual([1, 2, 0]);
  });

  it("finds no key for an invalid hash", () => {
    const index = new KeyIndex();
    index.set("00".repeat(32), 0);
    expect(["", "zz", "00", "00".repeat(33), "zz".repeat(32)].map((text) => index.get(text))).toEqual(
      Array.from({ length: 5 }),
    );
  });
});
