import { expect, it } from "vitest";
import type { RowFacets } from "../src/row.js";
import {
  AttributeIndex,
  type AttributeSource,
  updateIndexes,
} from "../src/search/partition/attribute-index.js";
import type { FieldIndex } from "../src/search/partition/field-index.js";

/** Rows with a key, an author and a metadata field each. `readCount` is the number of rows read. */
function source(count: number) {
  const rows = {
    readCount: 0,
    columns: {
      count,
      alive: new Uint8Array(count).fill(1),
      groups: Array.from({ length: count }, () => "g"),
    },
    facetsOf(slot: number): RowFacets {
      rows.readCount++;
      const metadata = { parity: slot % 2 === 0 ? "even" : "odd" };
      return { key: { id: `k${slot}` }, tags: ["t"], source: "alice", author: "alice", metadata };
    },
  };
  return rows satisfies AttributeSource;
}

function marked(index: FieldIndex, field: string, value: string, count: number): number[] {
  const bitmap = new Uint8Array(count);
  index.mark(bitmap, { field, op: "eq", value });
  return [...bitmap.keys()].filter((slot) => bitmap[slot] === 1);
}

/** Ends a step after `rowCount` rows. */
const upTo = (rowCount: number) => (from: number) => from + rowCount;

it("updates all requested fields in one pass, a few rows at a time", () => {
  const rows = source(10);
  const attributes = new AttributeIndex();
  expect(updateIndexes(rows, [], upTo(4))).toBe(true);
  const parity = attributes.fields(["metadata.parity"]).get("metadata.parity")!;
  expect(updateIndexes(rows, [parity], upTo(4))).toBe(false);
  expect([rows.readCount, marked(parity, "metadata.parity", "even", 10)]).toEqual([4, [0, 2]]);
  expect(attributes.field("key.id")).toBeUndefined();
  const both = [...attributes.fields(["metadata.parity", "key.id"]).values()];
  while (!updateIndexes(rows, both, upTo(4)));
  expect(rows.readCount).toBe(4 + 10);
  expect(marked(parity, "metadata.parity", "even", 10)).toEqual([0, 2, 4, 6, 8]);
  expect(marked(both[1]!, "key.id", "k7", 10)).toEqual([7]);
});

it("keeps the most recently used indexes, and all indexes of a request", () => {
  const attributes = new AttributeIndex();
  const fields = Array.from({ length: 100 }, (_, at) => `metadata.m${at}`);
  attributes.fields(["metadata.parity", ...fields]);
  expect(attributes.field("metadata.parity")).toBeDefined();
  for (const field of fields.slice(0, 63)) attributes.fields([field]);
  expect(attributes.field("metadata.parity")).toBeUndefined();
  const parity = attributes.fields(["metadata.parity"]).get("metadata.parity");
  for (const field of fields.slice(0, 63)) attributes.fields([field]);
  expect(attributes.field("metadata.parity")).toBe(parity);
  attributes.fields(["metadata.m99"]);
  expect(attributes.field("metadata.parity")).toBeUndefined();
  expect(attributes.field("metadata.m0")).toBeDefined();
});
