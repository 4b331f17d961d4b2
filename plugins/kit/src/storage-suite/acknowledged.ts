import type { ScopedRow, Storage } from "../storage.js";
import { expectMembers } from "./expectation.js";
import { expectRow, loadRows } from "./read-rows.js";

export interface Acknowledged {
  /** Rows that may be there or not. */
  readonly may: ReadonlySet<number>;
  readonly rows: readonly ScopedRow["row"][];
  readonly added: readonly ScopedRow[];
}

/** Of a scope: every acknowledged row is there as it was, and no other but those that may be. */
export async function expectBut(
  storage: Storage,
  scope: string,
  { may, rows, added }: Acknowledged,
  when: string,
): Promise<void> {
  const loaded = await loadRows(storage, scope);
  const certain = (ids: readonly number[]) => ids.filter((rowId) => !may.has(rowId));
  const what = `acknowledged rows of scope ${scope} ${when}`;
  expectMembers(certain(loaded.map(({ rowId }) => rowId)), certain(rows.map(({ rowId }) => rowId)), what);
  const known = new Map([...added.map(({ row }) => row), ...rows].map((row) => [row.rowId, row]));
  for (const row of loaded) expectRow(row, known.get(row.rowId)!, `of scope ${scope} ${when}`);
}
