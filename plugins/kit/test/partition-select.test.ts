import { type Filter, keyHash, matches } from "@membus/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterSubject } from "../src/read/entry.js";
import { KEYS, storeEntry, whereTree } from "./model-steps.js";
import { emptyPartition, rowOfEntry } from "./test-row.js";

/** Trees with leaves that only the host makes: of keys, and of nested values. */
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

describe("selection by bitmaps", () => {
  it("marks exactly the rows for which `matches` holds", () => {
    const property = fc.property(
      fc.array(storeEntry, { maxLength: 25 }),
      fc.array(filterTree, { minLength: 1, maxLength: 4 }),
      fc.nat(25),
      (entries, filters, indexedEarly) => {
        const partition = emptyPartition();
        const live = new Map<string, ReturnType<typeof rowOfEntry>>();
        for (const [at, entry] of entries.entries()) {
          const row = rowOfEntry(entry, at + 1);
          partition.add(row);
          live.set(row.keyHash, row);
          if (at === indexedEarly) partition.select({ field: "tags", op: "eq", value: "red" });
          if (at % 5 === 4) {
            partition.remove(row.keyHash, row.rowId);
            live.delete(row.keyHash);
          }
        }
        for (const filter of filters) {
          const selected = partition.select(filter);
          const found = [...selected].flatMap((flag, slot) => (flag ? [partition.keys.hashOf(slot)] : []));
          const expected = [...live.values()].filter((row) => matches(filterSubject(row), filter));
          expect(found.sort()).toEqual(expected.map((row) => row.keyHash).sort());
        }
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});
