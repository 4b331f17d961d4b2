import type { Connection } from "@lancedb/lancedb";
import type { ResolvedLanceStorageOptions } from "../lance-storage-options.js";
import { lancedb } from "../lancedb.js";
import { type GivenUpDependencies, giveUpTable } from "./give-up-table.js";

export interface ConnectDependencies extends GivenUpDependencies {
  readonly options: ResolvedLanceStorageOptions;
  /** See `LanceStorageContext`. */
  readonly givenUp?: readonly string[];
}

/** Connects to a store and returns the names of its tables. @throws {MemoryError} `unavailable` if it cannot be reached. */
export async function connectTables(
  parts: ConnectDependencies,
): Promise<{ readonly connection: Connection; readonly names: readonly string[] }> {
  const { store, options, givenUp = [] } = parts;
  const { Session } = lancedb();
  const session = new Session(BigInt(options.indexCacheBytes), BigInt(options.metadataCacheBytes));
  const connection = await store.open(session);
  try {
    for (const name of givenUp) await giveUpTable(name, connection, parts);
    const { tables, queued } = await store.list();
    return { connection, names: [...tables, ...queued] };
  } catch (error) {
    connection.close();
    throw error;
  }
}
