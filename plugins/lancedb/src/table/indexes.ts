import type { IndexConfig } from "@lancedb/lancedb";
import { lancedb } from "../lancedb.js";
import type { Change } from "../store/table-store.js";
import { indexing } from "./indexing.js";

/**
 * Indexed columns. Both have a B-tree. With 80,000 scopes, a bitmap of the scopes took 500 MB more RAM, and 13 times
 * as long to update.
 */
const COLUMNS = ["scope", "row_id"] as const;
const TYPE = "BTree";

/** Returns whether all indexes exist. They are built one after another, so a kill may leave only the first. */
export function isComplete(indexes: readonly IndexConfig[]): boolean {
  return COLUMNS.every((column) =>
    indexes.some(({ columns, indexType }) => columns[0] === column && indexType === TYPE),
  );
}

/** Table with indexes. See `TenantTable`. */
interface Indexed {
  read<T>(task: Change<T>): Promise<T>;
  commit<T>(change: Change<T>): Promise<T>;
}

/** Builds all indexes again, and removes indexes of another type. */
export async function rebuildIndexes(table: Indexed): Promise<void> {
  const { Index } = lancedb();
  for (const column of COLUMNS)
    await indexing(() => table.commit((lance) => lance.createIndex(column, { config: Index.btree() })));
  const indexes = await table.read((lance) => lance.listIndices());
  for (const { name, indexType } of indexes)
    if (indexType !== TYPE) await table.commit((lance) => lance.dropIndex(name));
}
