import type { Connection, Session, Table } from "@lancedb/lancedb";
import type { StoragePart } from "@membus/plugin-kit";
import type { Schema } from "apache-arrow";
import type { TableChanges } from "../table/table-changes.js";
import type { Turns } from "./turns.js";

/**
 * Where the tables of a tier are kept. LanceDB reads and writes their rows over a connection. Everything else
 * that happens to their files is here.
 */
export interface TableStore {
  /** Creates the store if it is missing, completes interrupted removals, and connects. */
  open(session: Session): Promise<Connection>;
  /** Connects for reading only. */
  view(): Promise<Connection>;
  /** Names of the tables, and of tables with queued changes, which may be missing. Empty without a store. */
  list(): Promise<StoredNames>;
  /** Returns the files of a table, which need not exist. */
  table(name: string): StoredTable;
  /**
   * Returns an error while the store refuses requests or does not answer. Its tables are intact, as far as is known. Absent if
   * the errors of LanceDB say so.
   */
  obstacle?(): Promise<Error | undefined>;
  /** Advice of the log for a damaged table. */
  readonly remedy: string;
  /** Number of times that a table was restored without rows of another owner or of a failed commit. Absent if there are no other owners. */
  readonly repairCount?: number;
  /**
   * Writes the synced versions and the queued changes into the folder of another tier. Tables may be opened
   * and closed concurrently, but not written to. Absent if the store is not in a folder.
   */
  snapshot?(directory: string): Promise<void>;
}

export interface StoredNames {
  readonly tables: readonly string[];
  readonly queued: readonly string[];
}

/** Files of one table. */
export interface StoredTable {
  /** Where the table is, for messages. */
  readonly location: string;
  /** Changes that wait until the table can be written. */
  readonly queue: ChangeQueue;
  /** Limits the reads of scopes. */
  readonly turns: Turns;
  /**
   * Undoes every change after the synced version, and opens it. Returns undefined for a table that a crash left
   * without any version: nothing was stored in it. Nothing may be written concurrently.
   * @param isSynced whether this process has closed the table at its synced version.
   */
  open(connection: Connection, isSynced: boolean): Promise<Table | undefined>;
  /** Opens the table for reading only. */
  view(connection: Connection): Promise<Table>;
  /** Removes the remains of another table, creates an empty one and opens it. */
  create(connection: Connection, schema: Schema, ids: ContentIds): Promise<Table>;
  /**
   * Removes a damaged table, creates an empty one in its place and opens it. The queued changes stay. Absent if an
   * operator can move the files of a table away.
   */
  replace?(connection: Connection, schema: Schema, ids: ContentIds): Promise<Table>;
  /**
   * Changes an open table. A change that conflicts with another one is repeated.
   * @param addedCount returns the number of rows that the change has added, negative for removed rows.
   */
  commit<T>(table: Table, change: Change<T>, addedCount: (result: T) => number): Promise<T>;
  /** Reads an open table. */
  read<T>(table: Table, task: Change<T>): Promise<T>;
  /** Removes the table and its queued changes. After a crash either the table exists or nothing of it does. */
  remove(): Promise<void>;
  /** Undefined if nothing was ever stored in the table. */
  synced(): Promise<SyncedVersion | undefined>;
  /** Makes the present version durable, and records it as the synced one. */
  settle(table: Table, state: SettledState): Promise<void>;
  /** Bytes of all files. */
  sizeBytes(): Promise<number>;
  /** Numbers of fragments that have, or had, removed rows. */
  fragmentsWithRemovedRows(): Promise<readonly number[]>;
  /** Removes every file that the present version does not need. No write and no read of another version runs. */
  cleanUp(table: Table): Promise<void>;
  /**
   * Moves all rows to another place if the present one has files that `cleanUp` keeps although no version needs
   * them. Returns undefined if there are none. Absent if `cleanUp` removes all files. No write runs.
   */
  rewrite?(table: Table): Promise<RewrittenTable | undefined>;
  /** Removes incomplete files. Nothing may be written concurrently. */
  removeDrafts(): Promise<void>;
  /** Paths of files that no version needs. */
  orphans(): Promise<readonly string[]>;
  /** The contents that a crash would leave. They can be read of a damaged table, too. */
  content(): Promise<TableContent>;
  /** Id of the folder that the table belongs to. Undefined if none was recorded. */
  owner(): Promise<string | undefined>;
  /** Records durably that the table belongs to a folder. */
  claim(folderId: string): Promise<void>;
  /** Moves the table to a place where it is no longer found. Returns the new path. */
  setAside(): Promise<string>;
}

/** A table after its rows were moved to another place. */
export interface RewrittenTable {
  readonly table: Table;
  /** Removes the former place. Called when no read needs it. */
  discard(): Promise<void>;
}

export interface ChangeQueue {
  /** Returns the changes of the last `write`, of any process. Damaged ones are set aside with an error in the log. */
  read(): Promise<TableChanges>;
  /** Replaces the changes. Resolves once they are durable. */
  write(changes: TableChanges): Promise<void>;
  /** Removes the changes. Resolves once that is durable. */
  remove(): Promise<void>;
}

export type Change<T> = (table: Table) => Promise<T>;

/** See `StoragePart`. */
export type ContentIds = Partial<Pick<SyncedVersion, "contentId" | "keptContentId">>;

export type TableContent = Omit<StoragePart, "name" | "owner">;

/** Facts that are recorded with a version. */
export type SettledState = Omit<SyncedVersion, "version" | "rowCount">;

/**
 * Last durable version of a table. Later versions may be torn by power loss. They are not needed, because the
 * log still has their contents.
 */
export interface SyncedVersion {
  readonly version: number;
  /** Whether the bytes of all removed rows are erased from disk. */
  readonly purged: boolean;
  /** Bytes of the table's files after the last cleanup, 0 before. */
  readonly cleanBytes: number;
  /** Rows of that version. Undefined, like the ids, if unknown. */
  readonly rowCount?: number | undefined;
  /** See `StoragePart`. */
  readonly contentId?: string | undefined;
  readonly keptContentId?: string | undefined;
}
