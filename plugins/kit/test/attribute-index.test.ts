import { expect, it } from "vitest";
import { AttributeIndex, type AttributeSource } from "../src/partition/attribute-index.js";
import type { RowFacets } from "../src/row.js";

/** Rows with a key, an author and a field of metadata each; `readCount` tells how many were read. */
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

function marked(index: AttributeIndex, field: string, value: string, count: number): number[] {
  const bitmap = new Uint8Array(count);
  index.field(field)!.mark(bitmap, { field, op: "eq", value });
  return [...bitmap.keys()].filter((slot) => bitmap[slot] === 1);
}

/** Ends a step behind so many rows. */
const upTo = (rowCount: number) => (from: number) => from + rowCount;

it("indexes the fields that are asked for, some rows at a time, and all of them in one look at a row", () => {
  const rows = source(10);
  const index = new AttributeIndex();
  expect(index.index(rows, [], upTo(4))).toBe(true);
  expect(index.index(rows, ["metadata.parity"], upTo(4))).toBe(false);
  expect([rows.readCount, marked(index, "metadata.parity", "even", 10)]).toEqual([4, [0, 2]]);
  expect(index.field("key.id")).toBeUndefined();
  while (!index.index(rows, ["metadata.parity", "key.id"], upTo(4)));
  expect(rows.readCount).toBe(4 + 10);
  expect(marked(index, "metadata.parity", "even", 10)).toEqual([0, 2, 4, 6, 8]);
  expect(marked(index, "key.id", "k7", 10)).toEqual([7]);
});

it("keeps the indexes of the fields used last, and all of those of a request", () => {
  const rows = source(2);
  const index = new AttributeIndex();
  const fields = Array.from({ length: 100 }, (_, at) => `metadata.m${at}`);
  index.index(rows, ["metadata.parity", ...fields]);
  expect(marked(index, "metadata.parity", "odd", 2)).toEqual([1]);
  for (const field of fields.slice(0, 63)) index.index(rows, [field]);
  expect(index.field("metadata.parity")).toBeUndefined();
  expect(index.index(rows, ["metadata.parity"])).toBe(true);
  for (const field of fields.slice(0, 63)) index.index(rows, [field]);
  expect(marked(index, "metadata.parity", "odd", 2)).toEqual([1]);
  index.index(rows, ["metadata.m99"]);
  expect(index.field("metadata.parity")).toBeUndefined();
  expect(index.field("metadata.m0")).toBeDefined();
});

it("comes to an end for many fields of two requests side by side", () => {
  const rows = source(40);
  const index = new AttributeIndex();
  const requests = ["l", "r"].map((name) => Array.from({ length: 40 }, (_, at) => `metadata.${name}${at}`));
  const pending = new Set(requests);
  for (let round = 0; round < 30; round++) {
    for (const fields of pending) if (index.index(rows, fields, upTo(4))) pending.delete(fields);
  }
  expect(pending.size).toBe(0);
});
