import { randomUUID } from "node:crypto";
import type { Connection, Table } from "@lancedb/lancedb";
import type { ScopedRow } from "@membus/plugin-kit";
import type { Clock, Logger } from "@membus/protocol";
import type { Schema } from "apache-arrow";
import type { Disk } from "../disk.js";
import { and, compare, type Filter, isIn } from "../rows/filters.js";
import { dimensionsOf } from "../rows/schema.js";
import { VectorColumn } from "../rows/vector-column.js";
import { ActiveReads } from "./active-reads.js";
import { retryCommit } from "./commit-retry.js";
import { diskBytes } from "./disk-bytes.js";
import { rowLoss } from "./row-loss.js";
import { newestVersion, readSyncedVersion, writeSyncedVersion } from "./synced-version.js";
import { TableChanges } from "./table-changes.js";
import { TableFiles } from "./table-files.js";
import { TableGate } from "./table-gate.js";

export interface TenantTableParts {
  readonly name: string;
  readonly connection: Connection;
  /** Of the table's own files. */
  readonly directory: string;
  /** Of the host's embedder. */
  readonly dimensions: number;
  readonly embedder?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly disk: Disk;
  /** Opens it also when rows are missing. */
  readonly acceptLoss: boolean;
  /** See `StoragePlace`. */
  keptContentId(part: string): string | undefined;
}

/** What was appended since the last maintenance, as far as this process knows. Reset by it. */
export interface TableTail {
  /** Rows and fragments that no compaction has seen. */
  rowCount: number;
  fragmentCount: number;
  /** Versions whose files are kept. */
  versionCount: number;
  /** Fragments and rows that no index covers. */
  unindexedCount: number;
  unindexedRowCount: number;
  /** Compactions since then: what they replaced is still on disk. */
  compactionCount: number;
  /** `fragmentCount` when maintenance last looked. */
  seenFragmentCount: number;
  /** Bytes on disk beyond what the last cleanup has left, about. */
  byteCount: number;
  /** Whether rows were removed; unknown, and so true, after opening. */
  hasRemoved: boolean;
}

/** Those that maintenance builds, one after the other: a kill may leave the first alone. */
const INDEX_COUNT = 2;

const NO_TAIL: TableTail = Object.freeze({
  ...{ rowCount: 0, fragmentCount: 0, versionCount: 0 },
  ...{ unindexedCount: 0, unindexedRowCount: 0 },
  ...{ compactionCount: 0, seenFragmentCount: 0, byteCount: 0, hasRemoved: false },
});

/**
 * One open table. Appends and compaction go side by side; what would take files or rows from under another write goes
 * alone. Reads wait for nobody.
 */
export class TenantTable {
  readonly gate = new TableGate();
  readonly #parts: TenantTableParts;
  readonly #table: Table;
  readonly #reads = new ActiveReads();
  readonly #files: TableFiles;
  readonly vectors: VectorColumn;
  #rowCount = 0;
  #isDirty = false;
  #isPurged = true;
  #cleanBytes = 0;
  #contentId: string = randomUUID();
  #unsynced = new TableChanges();
  readonly tail: TableTail = { ...NO_TAIL };
  isIndexed = false;

  private constructor(parts: TenantTableParts, table: Table, schema: Schema) {
    this.#parts = parts;
    this.#table = table;
    this.vectors = new VectorColumn(parts, dimensionsOf(schema), (change) => this.commit(change));
    this.#files = new TableFiles(parts.directory, parts.disk);
  }

  /** @throws {Error} where rows are missing. */
  static async open(parts: TenantTableParts): Promise<TenantTable> {
    const table = await parts.connection.openTable(parts.name);
    const schema = await table.schema();
    const opened = new TenantTable(parts, table, schema);
    const synced = await readSyncedVersion(parts.directory, parts.logger);
    const { numRows, fragmentStats } = await table.stats();
    const loss = rowLoss(parts.name, { version: await table.version(), rowCount: numRows }, synced);
    if (loss !== undefined && !parts.acceptLoss) {
      table.close();
      throw loss;
    }
    opened.#rowCount = numRows;
    if (loss === undefined) opened.#contentId = synced?.contentId ?? opened.#contentId;
    await opened.vectors.complete(schema.fields.map(({ name }) => name));
    const indexes = await table.listIndices();
    opened.isIndexed = indexes.length >= INDEX_COUNT;
    const { numSmallFragments, lengths } = fragmentStats;
    opened.tail.fragmentCount = numSmallFragments;
    opened.tail.seenFragmentCount = numSmallFragments;
    opened.tail.unindexedCount = numSmallFragments;
    opened.tail.unindexedRowCount = Math.max(
      0,
      ...indexes.map(({ numUnindexedRows }) => numUnindexedRows ?? 0),
    );
    opened.tail.rowCount = Math.min(numRows, numSmallFragments * lengths.p50);
    opened.#isPurged = synced?.purged ?? false;
    opened.#cleanBytes = synced?.cleanBytes ?? 0;
    opened.tail.hasRemoved = true;
    await opened.measure();
    if (loss !== undefined) await opened.#accept(loss);
    return opened;
  }

  /** What is there is all from now on. */
  async #accept(loss: Error): Promise<void> {
    this.#parts.logger.warn({ err: loss, table: this.name }, "opened a table without what it has lost");
    await this.gate.shared(() => this.syncInGate());
  }

  get name(): string {
    return this.#parts.name;
  }

  get directory(): string {
    return this.#parts.directory;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get contentId(): string {
    return this.#contentId;
  }

  /** Whether the bytes of every removed row are gone from disk. */
  get isPurged(): boolean {
    return this.#isPurged;
  }

  /** Bytes of its files when the last cleanup had ended. */
  get cleanBytes(): number {
    return this.#cleanBytes;
  }

  /** Counts the bytes on disk, which compaction adds to. */
  async measure(): Promise<void> {
    this.tail.byteCount = (await diskBytes(this.directory)) - this.#cleanBytes;
  }

  /** Reads one version of the table, whatever is written meanwhile. */
  read<T>(task: (table: Table) => Promise<T>): Promise<T> {
    return this.#reads.run(() => task(this.#table));
  }

  /** What was done to it, perhaps in part, since what is on disk for good. */
  get unsynced(): TableChanges {
    return this.#unsynced;
  }

  async append(rows: readonly ScopedRow[]): Promise<void> {
    const placed = rows.map(({ scope, row }) => ({ scope, row: this.vectors.place(row) }));
    if (!this.vectors.fits(placed)) await this.gate.exclusive(() => this.vectors.replace());
    const data = await this.vectors.batch(placed, () => this.#table.schema());
    await this.gate.shared(() => {
      this.#unsynced.append(rows);
      return this.commit((table) => table.add(data));
    });
    this.#rowCount += rows.length;
    for (const batch of data.batches) this.tail.byteCount += batch.data.byteLength;
    this.tail.rowCount += rows.length;
    this.tail.fragmentCount++;
    this.tail.unindexedCount++;
    this.tail.unindexedRowCount += rows.length;
  }

  async remove(rows: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    await this.gate.exclusive(async () => {
      this.#unsynced.remove(rows);
      await this.#delete(rowsOf(rows.map(({ rowId }) => rowId)));
    });
  }

  /**
   * Takes back a write that may have been cut short. Its files may be there although no version names them, so a purge
   * is owed whether rows are found or not.
   */
  async takeBack(rowId: number, scopes: readonly string[]): Promise<void> {
    await this.gate.exclusive(async () => {
      this.#unsynced.takeBack(rowId, scopes);
      this.#isPurged = false;
      this.#isDirty = true;
      await this.#delete(rowsFrom(rowId, scopes));
    });
  }

  /** Does again what was done to a later version, and makes it last. */
  async redo(changes: TableChanges): Promise<void> {
    this.#unsynced.add(changes);
    for (const [scope, rowId] of changes.takenBack) await this.takeBack(rowId, [scope]);
    await this.gate.exclusive(() => this.#delete(rowsOf(changes.goneRowIds)));
    for (const rows of chunks(changes.rows)) await this.append(rows);
    await this.sync();
  }

  /** No longer used: what it works on, and what reads it, comes to its end. Nothing is synced. */
  async abandon(): Promise<void> {
    await this.gate.exclusive(() => this.#reads.settled());
    this.#table.close();
  }

  /** Removes the rows that pass any of the filters. */
  async #delete(filters: readonly Filter[]): Promise<void> {
    for (const filter of filters) {
      const { numDeletedRows } = await this.commit((table) => table.delete(filter));
      this.#rowCount -= numDeletedRows;
      if (numDeletedRows === 0) continue;
      this.#isPurged = false;
      this.tail.hasRemoved = true;
    }
  }

  /** Changes the table, from inside the gate. */
  async commit<T>(change: (table: Table) => Promise<T>): Promise<T> {
    try {
      return await retryCommit(this.#parts.clock, () => change(this.#table));
    } finally {
      this.#isDirty = true;
      this.tail.versionCount++;
    }
  }

  /** What was committed so far is on disk for good. */
  async sync(): Promise<void> {
    if (this.#isDirty) await this.gate.shared(() => this.syncInGate());
  }

  /**
   * The version is read first: its files are all there by then, so the walk finds them. What is committed beside it, as
   * compaction is, changes no rows.
   */
  async syncInGate(): Promise<void> {
    const earlier = this.#unsynced;
    if (!earlier.isEmpty) this.#contentId = randomUUID();
    this.#unsynced = new TableChanges();
    this.#isDirty = false;
    try {
      const { directory, disk, name } = this.#parts;
      const version = await newestVersion(directory);
      const rowCount = await this.#table.countRows();
      await this.#files.sync();
      const synced = { version, rowCount, purged: this.#isPurged, cleanBytes: this.#cleanBytes };
      const ids = { contentId: this.#contentId, keptContentId: this.#parts.keptContentId(name) };
      await writeSyncedVersion(directory, { ...synced, ...ids }, disk);
    } catch (error) {
      this.#isDirty = true;
      earlier.add(this.#unsynced);
      this.#unsynced = earlier;
      throw error;
    }
  }

  /** Resolves when no read needs the files of a version before the present one. */
  oldReadsEnded(): Promise<void> {
    return this.#reads.settled();
  }

  /** Only what is in use is left on disk. */
  async cleaned(): Promise<void> {
    Object.assign(this.tail, NO_TAIL);
    this.#cleanBytes = await diskBytes(this.directory);
  }

  markPurged(): void {
    this.#isPurged = true;
  }

  async close(): Promise<void> {
    await this.sync();
    this.#table.close();
  }
}

/** Values of an `IN`, and rows of an append: above a few thousand, planning costs more than another query. */
const CHUNK = 1_000;

function rowsOf(rowIds: readonly number[]): Filter[] {
  return chunks(rowIds).map((ids) => isIn("row_id", ids));
}

function rowsFrom(rowId: number, scopes: readonly string[]): Filter[] {
  return chunks(scopes).map((some) => and(compare("row_id", ">=", rowId), isIn("scope", some)));
}

export function chunks<T>(values: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < values.length; from += CHUNK) parts.push(values.slice(from, from + CHUNK));
  return parts;
}
