import type { SyncedVersion } from "./table-store.js";

/** Last synced version of a table, and where it is. */
export interface TableRecord extends SyncedVersion {
  /** Name of the table in LanceDB. Each table that is created gets another one. */
  readonly table: string;
  /** Number of records of the table so far. Unlike `version` it increases when the rows move to another table. */
  readonly settledCount: number;
  /** Id of the folder that the table belongs to. */
  readonly owner?: string | undefined;
  /** Key of the object with queued changes. */
  readonly queue?: string | undefined;
}

/**
 * Records of the tables of one manifest. Only the newest owner of the tables can replace them.
 *
 * All methods throw `unavailable` once this process has lost the tables.
 */
export interface TableRecords {
  /** Returns all records by name. Records that an earlier owner writes later are not among them. */
  list(): Promise<ReadonlyMap<string, TableRecord>>;
  read(name: string): Promise<TableRecord | undefined>;
  /**
   * Replaces a record by the result of `change`, by compare-and-set. Undefined removes it. `change` is called again
   * if an earlier owner has replaced the record in between. Afterwards no earlier owner can replace it.
   */
  update(
    name: string,
    change: (found: TableRecord | undefined) => Promise<TableRecord | undefined>,
  ): Promise<void>;
}

/** Whether this process may change the tables. */
export interface TableOwnership {
  /**
   * Resolves when certainly no other process owns the tables. It waits while that is unknown.
   * @throws {MemoryError} `unavailable` if another process may own them for good.
   */
  untilOwned(): Promise<void>;
}
