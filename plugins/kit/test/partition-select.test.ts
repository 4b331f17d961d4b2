import { type Filter, type FilterLeaf, keyHash, matches } from "@membus/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterableEntry } from "../src/operations/retrieve/entry.js";
import { namedSlots } from "../src/search/partition/named-slots.js";
import type { Partition } from "../src/search/partition/partition.js";
import { PreparedFilter } from "../src/search/partition/prepared-filter.js";
import { KEYS, storeEntry, whereTree } from "./model-steps.js";
import { emptyPartition, rowOfEntry, testRow } from "./test-row.js";

/** Filters with leaves that only the host creates: key hashes and nested values. */
const filterTree: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 4, arbitrary: whereTree },
  fc.subarray([...KEYS]).map((keys) => ({ field: "key_hash", op: "in" as const, value: keys.map(keyHash) })),
  fc.constantFrom(...KEYS).map((key) => ({ field: "key_hash", op: "ne" as const, value: keyHash(key) })),
  fc.constantFrom<Filter>(
    { field: "key_hash", op: "starts_with", value: "a" },
    { field: "key.b", op: "eq", value: { c: [1, "x"] } },
    { field: "key.list", op: "eq", value: ["x", "y"] },
    { field: "key.list", op: "in", value: [["x"], "y"] },
    { field: "tags", op: "eq", value: [] },
    { field: "metadata.list", op: "exists", value: true },
    { all: [] },
    { any: [] },
    { not: { all: [] } },
  ),
);

function leafOf(field: string, op: FilterLeaf["op"], value: string): FilterLeaf {
  return { field, op, value };
}

function prepareLittle(partition: Partition, filter: PreparedFilter): void {
  partition.prepareSome({ words: false, filter }, 2);
  filter.scanSome(3);
}

it("prepares filters with many fields concurrently, although each evicts indexes of the other", () => {
  const partition = emptyPartition();
  for (let rowId = 1; rowId <= 60; rowId++) {
    const metadata = { a: `${rowId}`.padEnd(4_000, "a"), b: `${rowId}`.padEnd(4_000, "b") };
    partition.add(testRow({ rowId, name: `k${rowId}`, facets: { tags: [], metadata } }));
  }
  const heavy = (name: string) => {
    const scanned = Array.from({ length: 30 }, (_, at) => leafOf(`metadata.${name}`, "contains", `${at}x`));
    const fields = Array.from({ length: 50 }, (_, at) => leafOf(`key.${name}${at}`, "eq", ""));
    return new PreparedFilter({ any: [...scanned, ...fields, leafOf("metadata.a", "starts_with", "7")] });
  };
  const pending = new Set([heavy("a"), heavy("b")]);
  for (let round = 0; round < 2_000; round++) {
    for (const filter of pending) {
      if (!partition.prepareSome({ words: false, filter }, 16)) continue;
      expect(partition.select(filter).reduce((count, mark) => count + mark, 0)).toBe(1);
      pending.delete(filter);
    }
  }
  expect(pending.size).toBe(0);
});

describe("selection by bitmaps", () => {
  it("marks exactly the rows that `matches` accepts", () => {
    const property = fc.property(
      fc.array(storeEntry, { maxLength: 25 }),
      fc.array(filterTree, { minLength: 1, maxLength: 4 }),
      fc.nat(25),
      (entries, filters, preparedFrom) => {
        const partition = emptyPartition();
        const prepared = filters.map((filter) => new PreparedFilter(filter));
        const live = new Map<string, ReturnType<typeof rowOfEntry>>();
        for (const [at, entry] of entries.entries()) {
          const row = rowOfEntry(entry, at + 1);
          partition.add(row);
          live.set(row.keyHash, row);
          // Prepares in small steps, while rows are added and removed.
          if (at >= preparedFrom) for (const filter of prepared) prepareLittle(partition, filter);
          if (at % 5 === 4) {
            partition.remove(row.keyHash, row.rowId);
            live.delete(row.keyHash);
          }
        }
        for (const look of prepared) {
          const selected = partition.select(look);
          const found = [...selected].flatMap((flag, slot) => (flag ? [partition.keys.hashOf(slot)] : []));
          const expected = [...live.values()].filter((row) => matches(filterableEntry(row), look.filter));
          expect(found.sort()).toEqual(expected.map((row) => row.keyHash).sort());
          const named = namedSlots(partition, look.filter);
          if (named !== undefined)
            expect(named).toEqual(Uint32Array.from(selected.keys()).filter((slot) => selected[slot]));
        }
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it("needs no scan if a filter only names keys", () => {
    const partition = emptyPartition();
    const rows = [1, 2, 3].map((rowId) => testRow({ rowId, name: `k${rowId}` }));
    for (const row of rows) partition.add(row);
    partition.remove(rows[1]!.keyHash, 2);
    const hashes = [rows[2]!, rows[0]!, rows[1]!, rows[0]!].map((row) => row.keyHash);
    const ofKeys = leafOf("key_hash", "in", "");
    const named: Filter = { ...ofKeys, value: [...hashes, hashes[0]!.toUpperCase(), 7] };
    expect(namedSlots(partition, { all: [named] })).toEqual(Uint32Array.of(0, 2));
    expect(namedSlots(partition, { all: [named, leafOf("source", "eq", "x")] })).toBeUndefined();
    expect(namedSlots(partition, { not: named })).toBeUndefined();
    expect(namedSlots(partition, { ...ofKeys, op: "ne" })).toBeUndefined();
  });
});
