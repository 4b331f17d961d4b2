import type { ScopedRow, Storage } from "../storage.js";
import { expectMembers } from "./expectation.js";
import { expectRow, loadRows } from "./read-rows.js";

export interface Acknowledged {
  /** Ids of rows that may be present or absent. */
  readonly optionalIds: ReadonlySet<number>;
  readonly rows: readonly ScopedRow["row"][];
  readonly added: readonly ScopedRow[];
}

/**
 * Expects every acknowledged row of a scope unchanged, and no other rows except those that may be present.
 */
export async function expectRowsExcept(
  storage: Storage,
  scope: string,
  { optionalIds, rows, added }: Acknowledged,
  when: string,
): Promise<void> {
  const loaded = await loadRows(storage, scope);
  const certain = (ids: readonly number[]) => ids.filter((rowId) => !optionalIds.has(rowId));
  const what = `acknowledged rows of scope ${scope} ${when}`;
  expectMembers(certain(loaded.map(({ rowId }) => rowId)), certain(rows.map(({ rowId }) => rowId)), what);
  const known = new Map([...added.map(({ row }) => row), ...rows].map((row) => [row.rowId, row]));
  for (const row of loaded) expectRow(row, known.get(row.rowId)!, `of scope ${scope} ${when}`);
}
