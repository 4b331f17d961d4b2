import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashTable } from "../src/search/hash-table.js";
import { PostingLists } from "../src/search/partition/posting-lists.js";

describe("posting lists in shared arrays", () => {
  it("contain the postings of each list in order while they grow and move", () => {
    const property = fc.property(fc.array(fc.nat(12), { maxLength: 600 }), (pushes) => {
      const lists = new PostingLists();
      const model = new Map<number, [number[], number[]]>();
      for (let list = 0; list <= 12; list++) {
        expect(lists.begin()).toBe(list);
        model.set(list, [[], []]);
      }
      const ahead = pushes.length >> 1;
      lists.reserve(Uint32Array.from(pushes.slice(0, ahead)));
      for (const [at, list] of pushes.entries()) {
        lists.push(list, at, at * 7);
        model.get(list)![0].push(at);
        model.get(list)![1].push(at * 7);
      }
      for (const [list, expected] of model) {
        const { start, size } = lists.range(list);
        const parts = [lists.slots, lists.counts].map((array) => [...array.subarray(start, start + size)]);
        expect(parts).toEqual(expected);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  it("reuse free areas", () => {
    const lists = new PostingLists();
    for (let list = 0; list < 1000; list++) {
      lists.begin();
      for (let at = 0; at < 100; at++) lists.push(list, at, 1);
    }
    expect(lists.sizeBytes).toBeLessThan(1000 * 128 * 6 * 2.2);
  });

  it("split a large area for several small lists", () => {
    const lists = new PostingLists();
    for (let list = 0; list < 100; list++) lists.begin();
    for (let at = 0; at < 4_097; at++) lists.push(0, at, 1);
    const before = lists.sizeBytes;
    for (let list = 1; list < 100; list++) for (let at = 0; at < 16; at++) lists.push(list, at, 1);
    expect(lists.sizeBytes).toBe(before);
  });

  it("grow in few steps, also when slightly more is reserved each time", () => {
    const lists = new PostingLists();
    const arrays = new Set<Uint32Array>();
    for (let list = 0; list < 5_000; list++) {
      lists.reservePostings(1);
      lists.push(lists.begin(), list, 1);
      arrays.add(lists.slots);
    }
    expect(arrays.size).toBeLessThan(20);
    expect(lists.sizeBytes).toBeLessThan(5_000 * 4 * 7 * 2.2);
  });
});

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
