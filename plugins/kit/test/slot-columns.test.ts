import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf } from "../src/columns-of.js";
import { NUMBER_FIELDS, type Row, type RowNumbers } from "../src/row.js";
import { SlotColumns } from "../src/search/partition/slot-columns.js";
import { testRow } from "./test-row.js";

/** Enough slots for fields to share arrays. */
const LARGE = 5_000;

const time = fc.constantFrom(1_700_000_000, 1_700_000_000.5, 1_800_000_000);

/** Numbers that mostly equal each other as a new entry's do. */
const numbers = fc
  .record({
    updated: time,
    others: fc.option(fc.record({ created: time, occurredAt: time, expiresAt: time })),
  })
  .map(({ updated, others }) => ({
    ...{ revision: updated * 1e6, seq: updated * (others === null ? 1e6 : 1e5), updated, importance: 0.9 },
    ...(others ?? { created: updated, occurredAt: updated, expiresAt: 0 }),
  }));

const rowsOf = (all: readonly Omit<RowNumbers, "rowId">[], from: number): Row[] =>
  all.map((each, at) => ({ ...testRow({ rowId: from + at }), ...each }));

const numbersOf = (row: Row) => Object.fromEntries(NUMBER_FIELDS.map((field) => [field, row[field]]));

describe("the numbers of a large partition", () => {
  it("belong to each row while rows are added one by one, in batches, and copied", () => {
    const batch = fc.tuple(fc.boolean(), fc.array(numbers, { maxLength: 8 }));
    const property = fc.property(fc.boolean(), fc.array(batch, { maxLength: 8 }), (isLarge, batches) => {
      const columns = new SlotColumns();
      const rows: Row[] = [];
      if (isLarge) columns.reserve(LARGE);
      for (const [at, [isBatch, all]] of batches.entries()) {
        const added = rowsOf(all, rows.length);
        if (at === 4) columns.reserve(LARGE);
        if (isBatch) columns.appendAll(columnsOf(added, 8));
        else for (const row of added) columns.append(row);
        rows.push(...added);
      }
      columns.reserve(2 * LARGE);
      const expected = rows.map(numbersOf);
      expect(rows.map((_, slot) => columns.numbersAt(slot))).toEqual(expected);
      const copy = columns.remap(Uint32Array.from(rows.keys()));
      expect(rows.map((_, slot) => copy.numbersAt(slot))).toEqual(expected);
      expect(rows.map((_, slot) => columns.accessed[slot])).toEqual(rows.map(({ updated }) => updated));
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("have no array for fields that equal another one", () => {
    const [usual, different] = [new SlotColumns(LARGE), new SlotColumns(LARGE)];
    const at = 1_700_000_000;
    const row = {
      ...testRow({}),
      created: at,
      updated: at,
      occurredAt: at,
      revision: 7,
      seq: 7,
      expiresAt: 0,
    };
    usual.append(row);
    different.append({ ...row, created: 1, occurredAt: 2, seq: 3, expiresAt: 4 });
    expect(different.sizeBytes - usual.sizeBytes).toBe(4 * 8 * LARGE);
  });
});
