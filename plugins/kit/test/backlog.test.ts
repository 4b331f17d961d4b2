import { describe, expect, it } from "vitest";
import { Backlog } from "../src/journal/backlog.js";
import { type LogRecord, rowIdOf } from "../src/journal/record.js";
import { testRow } from "./test-row.js";

const SCOPE = '["episodic","acme","alice",null,"default"]';

/** Returns a record of rows with these names that removes these row ids. */
function record(
  seq: number,
  names: readonly string[],
  removed: readonly number[] = [],
  scope = SCOPE,
): LogRecord {
  const rows = names.map((name, index) => testRow({ name, rowId: rowIdOf(seq, index) }));
  return { at: 1, scope, rows, removed };
}

function filled(...records: readonly LogRecord[]): Backlog {
  const backlog = new Backlog({ countMax: 10, bytesMax: 1e6 });
  for (const [index, next] of records.entries()) backlog.add(index + 1, next);
  return backlog;
}

const idsOf = (slice: ReturnType<Backlog["slice"]>) => slice?.rows.map(({ row }) => row.rowId);

const MIB = 1024 * 1024;

describe("the backlog of a flush", () => {
  it("returns complete records in order, up to about the row limit", () => {
    const backlog = filled(record(1, ["a", "b"]), record(2, ["c"]), record(3, ["d", "e", "f", "g"]));
    expect(backlog.slice({ rowsMax: 3, bytesMax: MIB }, 9)).toMatchObject({ lastSeq: 2, removed: [] });
    expect(idsOf(backlog.slice({ rowsMax: 3, bytesMax: MIB }, 9))).toEqual([
      rowIdOf(1, 0),
      rowIdOf(1, 1),
      rowIdOf(2, 0),
    ]);
    expect(backlog.flushed(2)).toEqual([rowIdOf(1, 0), rowIdOf(1, 1), rowIdOf(2, 0)]);
    expect(backlog.slice({ rowsMax: 3, bytesMax: MIB }, 9)).toMatchObject({ lastSeq: 3 });
    expect(backlog.slice({ rowsMax: 3, bytesMax: MIB }, 9)!.rows).toHaveLength(4);
    backlog.flushed(3);
    expect([
      backlog.slice({ rowsMax: 3, bytesMax: MIB }, 9),
      backlog.rowCount,
      backlog.sizeBytes,
      [...backlog.scopes],
    ]).toEqual([undefined, 0, 0, []]);
  });

  it("returns records up to a sequence number", () => {
    const backlog = filled(record(1, ["a"]), record(2, ["b"]), record(3, ["c"]));
    expect(backlog.lastSeq).toBe(3);
    expect(backlog.slice({ rowsMax: 100, bytesMax: MIB }, 2)).toMatchObject({ lastSeq: 2 });
    backlog.flushed(2);
    expect([backlog.slice({ rowsMax: 100, bytesMax: MIB }, 2), backlog.lastSeq]).toEqual([undefined, 3]);
    backlog.flushed(3);
    expect(backlog.lastSeq).toBe(0);
  });

  it("never returns a row that was removed before its flush, nor its removal", () => {
    const backlog = filled(
      record(1, ["a"]),
      record(2, ["a"], [rowIdOf(1, 0)]),
      record(3, [], [rowIdOf(2, 0)]),
    );
    expect(backlog.slice({ rowsMax: 100, bytesMax: MIB }, 9)).toEqual({
      lastSeq: 3,
      rows: [],
      removed: [],
      forgets: true,
    });
    expect(backlog.rowCount).toBe(0);
  });

  it("returns the removal of a row that was passed to a flush before", () => {
    const backlog = filled(record(1, ["a"]));
    backlog.slice({ rowsMax: 100, bytesMax: MIB }, 9);
    backlog.add(2, record(2, [], [rowIdOf(1, 0)]));
    expect(backlog.flushed(1)).toEqual([]);
    expect(backlog.slice({ rowsMax: 100, bytesMax: MIB }, 9)).toEqual({
      lastSeq: 2,
      rows: [],
      removed: [{ scope: SCOPE, rowId: rowIdOf(1, 0) }],
      forgets: true,
    });
  });

  it("reports whether rows were removed without replacement", () => {
    expect(filled(record(1, ["a"], [5])).slice({ rowsMax: 9, bytesMax: MIB }, 9)?.forgets).toBe(false);
    expect(filled(record(1, [], [5])).slice({ rowsMax: 9, bytesMax: MIB }, 9)?.forgets).toBe(true);
    expect(filled(record(1, [], [])).slice({ rowsMax: 9, bytesMax: MIB }, 9)?.forgets).toBe(false);
  });

  it("returns the rows of a scope and its removals from storage", () => {
    const backlog = filled(
      record(1, ["a", "b"], [7]),
      record(2, ["a"], [rowIdOf(1, 0)]),
      record(3, ["z"], [], "other"),
    );
    const { rows, removed } = backlog.ofScope(SCOPE);
    expect(rows.map(({ rowId }) => rowId)).toEqual([rowIdOf(1, 1), rowIdOf(2, 0)]);
    expect([...removed]).toEqual([7]);
    expect([backlog.has(SCOPE), backlog.has("other"), backlog.has("")]).toEqual([true, true, false]);
  });

  it("returns a removal from several scopes as a whole", () => {
    const scopeRemovals = [SCOPE, "other"].map((scope, at) => ({ scope, removed: [at, at + 5] }));
    const backlog = filled(
      record(1, ["a", "c"]),
      { ...record(2, [], [], ""), scopeRemovals },
      record(3, ["b"]),
    );
    expect(backlog.slice({ rowsMax: 1, bytesMax: MIB }, 9)).toMatchObject({ lastSeq: 1, removed: [] });
    backlog.flushed(1);
    expect([backlog.has("other"), [...backlog.ofScope("other").removed]]).toEqual([true, [1, 6]]);
    const { lastSeq, removed, forgets } = backlog.slice({ rowsMax: 1, bytesMax: MIB }, 9)!;
    expect([lastSeq, removed.map(({ rowId }) => rowId), forgets]).toEqual([2, [0, 5, 1, 6], true]);
    backlog.flushed(2);
    expect([backlog.has("other"), backlog.has(SCOPE), backlog.recordCount]).toEqual([false, true, 1]);
  });

  it("has no scope for a record with only a reply", () => {
    const backlog = filled(record(1, [], [], ""));
    expect([[...backlog.scopes], backlog.recordCount]).toEqual([[], 1]);
  });

  it("accepts records up to its limits of rows, records and bytes", () => {
    const many = new Backlog({ countMax: 2, bytesMax: 1e6 });
    many.add(1, record(1, ["a", "b"]));
    expect(() => many.checkCapacity()).toThrow(expect.objectContaining({ code: "overloaded" }));
    const replies = new Backlog({ countMax: 2, bytesMax: 1e6 });
    replies.add(1, record(1, []));
    replies.checkCapacity();
    replies.add(2, record(2, []));
    expect(() => replies.checkCapacity()).toThrow(expect.objectContaining({ code: "overloaded" }));
    const large = new Backlog({ countMax: 100, bytesMax: 500 });
    large.add(1, record(1, ["a"]));
    expect(() => large.checkCapacity()).toThrow(expect.objectContaining({ code: "overloaded" }));
    large.slice({ rowsMax: 9, bytesMax: MIB }, 9);
    large.flushed(1);
    large.checkCapacity();
  });
});
