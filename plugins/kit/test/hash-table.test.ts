import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashTable } from "../src/search/hash-table.js";

describe("the table of hashes", () => {
  it("agrees with a Map, also for similar hashes", () => {
    const hash = fc.oneof(
      fc.nat(2 ** 32 - 1),
      fc.nat(200),
      fc.nat(200).map((high) => high * 2 ** 24),
    );
    const property = fc.property(
      fc.array(hash, { maxLength: 500 }),
      fc.array(hash, { maxLength: 50 }),
      (added, asked) => {
        const table = new HashTable();
        const map = new Map<number, number>();
        for (const one of added) {
          if (map.has(one)) continue;
          table.add(one, map.size);
          map.set(one, map.size);
        }
        for (const one of [...added, ...asked]) expect(table.get(one)).toBe(map.get(one));
        expect(new Map(table.entries())).toEqual(map);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
});
