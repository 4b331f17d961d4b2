import { randomUUID } from "node:crypto";
import type { Connection, Table } from "@lancedb/lancedb";
import { tableSchema } from "../rows/schema.js";
import type { TableStore } from "../store/table-store.js";
import { throwIfUnreachable } from "../store/unreachable.js";
import { TenantTable, type TenantTableDependencies } from "./tenant-table.js";

export interface GivenUpDependencies extends Omit<TenantTableDependencies, "name" | "stored" | "acceptLoss"> {
  readonly store: TableStore;
}

/**
 * Makes a damaged table usable before it is opened. A table that can be read keeps its rows, even if some are missing, and
 * its indexes are built again. Another one is replaced by an empty table. Queued changes stay until the next opening.
 * @throws {MemoryError} `unavailable` if the store cannot be reached, or if only the operator can replace its tables.
 */
export async function giveUpTable(
  name: string,
  connection: Connection,
  { store, dimensions, embedder, logger, keptContentId }: GivenUpDependencies,
): Promise<void> {
  const stored = store.table(name);
  const parts = { name, stored, dimensions, embedder, logger, keptContentId, acceptLoss: true };
  try {
    await acceptRows(connection, parts);
  } catch (error) {
    throwIfUnreachable(error);
    if (stored.replace === undefined) throw error;
    const ids = { contentId: randomUUID(), keptContentId: keptContentId(name) };
    const empty = await stored.replace(connection, tableSchema(dimensions), ids);
    empty.close();
    logger.warn({ err: error, table: name }, "replaced a damaged table by an empty one");
  }
}

/** Reads all rows that are left. Removes the indexes, because a read of all rows does not show whether they are damaged. */
async function acceptRows(connection: Connection, parts: TenantTableDependencies): Promise<void> {
  const table = await parts.stored.open(connection, false);
  if (table === undefined) return;
  try {
    const opened = await TenantTable.open(table, parts);
    await opened.read(async (lance) => {
      for await (const _batch of lance.query());
    });
    await opened.gate.exclusive(() => removeIndexes(table, opened));
    await opened.sync();
  } finally {
    table.close();
  }
}

async function removeIndexes(table: Table, opened: TenantTable): Promise<void> {
  for (const { name } of await table.listIndices()) await opened.commit((lance) => lance.dropIndex(name));
}
