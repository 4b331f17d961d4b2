import { randomUUID } from "node:crypto";
import type { Connection } from "@lancedb/lancedb";
import { tableSchema } from "../rows/schema.js";
import type { TableStore } from "../store/table-store.js";
import { throwIfUnreachable } from "../store/unreachable.js";
import { TenantTable, type TenantTableDependencies } from "./tenant-table.js";

type GivenUpDependencies = Omit<TenantTableDependencies, "name" | "stored" | "acceptLoss"> & {
  readonly store: TableStore;
};

/**
 * Makes a damaged table usable before the others are opened. A table that can be read keeps its rows, even if some are
 * missing. Another one is replaced by an empty table. Its queued changes stay, and the next opening makes them.
 * @throws {MemoryError} `unavailable` if the store cannot be reached, or if only the operator can replace its tables.
 */
export async function giveUpTable(
  name: string,
  connection: Connection,
  { store, ...parts }: GivenUpDependencies,
): Promise<void> {
  const stored = store.table(name);
  try {
    await acceptRows(connection, { ...parts, name, stored, acceptLoss: true });
  } catch (error) {
    throwIfUnreachable(error);
    if (stored.replace === undefined) throw error;
    const ids = { contentId: randomUUID(), keptContentId: parts.keptContentId(name) };
    const empty = await stored.replace(connection, tableSchema(parts.dimensions), ids);
    empty.close();
    parts.logger.warn({ err: error, table: name }, "replaced a damaged table by an empty one");
  }
}

/** Opens a table with the rows that are left and reads them all. */
async function acceptRows(connection: Connection, parts: TenantTableDependencies): Promise<void> {
  const table = await parts.stored.open(connection, false);
  if (table === undefined) return;
  const opened = await TenantTable.open(table, parts);
  try {
    await opened.read(async (lance) => {
      for await (const _batch of lance.query());
    });
  } finally {
    await opened.close();
  }
}
