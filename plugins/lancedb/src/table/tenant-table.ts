import { randomUUID } from "node:crypto";
import type { Table } from "@lancedb/lancedb";
import type { ScopedRow } from "@membus/plugin-kit";
import type { Logger } from "@membus/protocol/plugin";
import type { Schema } from "apache-arrow";
import { and, compare, type Filter, isIn } from "../rows/filters.js";
import { dimensionsOf } from "../rows/schema.js";
import { VectorColumn } from "../rows/vector-column.js";
import type { Change, StoredTable } from "../store/table-store.js";
import type { Turns } from "../store/turns.js";
import { missingRowsError } from "./missing-rows.js";
import { RunningTasks } from "./running-tasks.js";
import { TableChanges } from "./table-changes.js";
import { TableGate } from "./table-gate.js";

export interface TenantTableDependencies {
  readonly name: string;
  readonly stored: StoredTable;
  /** Dimensions of the host's embedder. */
  readonly dimensions: number;
  readonly embedder?: string | undefined;
  readonly logger: Logger;
  /** Opens the table even if rows are missing. */
  readonly acceptLoss: boolean;
  /** See `StorageContext`. */
  keptContentId(part: string): string | undefined;
}

/** Changes since the last maintenance, as far as this process knows. Maintenance resets them. */
export interface TableBacklog {
  /** Rows and fragments that are not compacted. */
  rowCount: number;
  fragmentCount: number;
  /** Versions with kept files. */
  versionCount: number;
  /** Fragments and rows without an index. */
  unindexedCount: number;
  unindexedRowCount: number;
  /** Compactions since the last cleanup. The files that they replaced are still on disk. */
  compactionCount: number;
  /** `fragmentCount` at the last maintenance. */
  seenFragmentCount: number;
  /** Approximate bytes on disk in addition to those after the last cleanup. */
  byteCount: number;
  /** Whether rows were removed. True after opening, because it is unknown. */
  hasRemoved: boolean;
}

/** Number of indexes that maintenance builds one after another. A kill may leave only the first. */
const INDEX_COUNT = 2;

/** Name of the index of vectors. */
export const VECTOR_INDEX = "vector_idx";

/** Index of a table's vectors. */
interface VectorIndexState {
  /** Whether the table was searched by vector since it was opened or purged. */
  isWanted: boolean;
  isBuilt: boolean;
}

const EMPTY_BACKLOG: TableBacklog = Object.freeze({
  ...{ rowCount: 0, fragmentCount: 0, versionCount: 0 },
  ...{ unindexedCount: 0, unindexedRowCount: 0 },
  ...{ compactionCount: 0, seenFragmentCount: 0, byteCount: 0, hasRemoved: false },
});

/**
 * One open table. Appends and compaction run concurrently. Changes that would remove files or rows of another
 * write run exclusively. Reads never wait.
 */
export class TenantTable {
  readonly gate = new TableGate();
  readonly #parts: TenantTableDependencies;
  #table: Table;
  readonly #reads = new RunningTasks();
  readonly vectors: VectorColumn;
  #rowCount = 0;
  #isDirty = false;
  #isPurged = true;
  #cleanBytes = 0;
  #contentId: string = randomUUID();
  #unsynced = new TableChanges();
  readonly backlog: TableBacklog = { ...EMPTY_BACKLOG };
  isIndexed = false;
  readonly vectorIndex: VectorIndexState = { isWanted: false, isBuilt: false };

  private constructor(parts: TenantTableDependencies, table: Table, schema: Schema) {
    this.#parts = parts;
    this.#table = table;
    this.vectors = new VectorColumn(parts, dimensionsOf(schema), (change) => this.commit(change));
  }

  /** @throws {Error} If rows are missing. */
  static async open(table: Table, parts: TenantTableDependencies): Promise<TenantTable> {
    const schema = await table.schema();
    const opened = new TenantTable(parts, table, schema);
    const synced = await parts.stored.synced();
    const { numRows, fragmentStats } = await table.stats();
    const missingRows = missingRowsError(
      parts.name,
      { version: await table.version(), rowCount: numRows },
      synced,
    );
    if (missingRows !== undefined && !parts.acceptLoss) {
      table.close();
      throw missingRows;
    }
    opened.#rowCount = numRows;
    if (missingRows === undefined) opened.#contentId = synced?.contentId ?? opened.#contentId;
    await opened.vectors.complete(schema.fields.map(({ name }) => name));
    const indexes = await table.listIndices();
    const isBuilt = indexes.some(({ name }) => name === VECTOR_INDEX);
    Object.assign(opened.vectorIndex, { isWanted: isBuilt, isBuilt });
    opened.isIndexed = indexes.length - (isBuilt ? 1 : 0) >= INDEX_COUNT;
    const { numSmallFragments, lengths } = fragmentStats;
    opened.backlog.fragmentCount = numSmallFragments;
    opened.backlog.seenFragmentCount = numSmallFragments;
    opened.backlog.unindexedCount = numSmallFragments;
    opened.backlog.unindexedRowCount = Math.max(
      0,
      ...indexes.map(({ numUnindexedRows }) => numUnindexedRows ?? 0),
    );
    opened.backlog.rowCount = Math.min(numRows, numSmallFragments * lengths.p50);
    opened.#isPurged = synced?.purged ?? false;
    opened.#cleanBytes = synced?.cleanBytes ?? 0;
    opened.backlog.hasRemoved = true;
    await opened.measure();
    if (missingRows !== undefined) await opened.#accept(missingRows);
    return opened;
  }

  /** Accepts the present rows as complete. */
  async #accept(missingRows: Error): Promise<void> {
    this.#parts.logger.warn({ err: missingRows, table: this.name }, "opened a table with missing rows");
    await this.gate.shared(() => this.syncInGate());
  }

  get name(): string {
    return this.#parts.name;
  }

  /** Its files. */
  get stored(): StoredTable {
    return this.#parts.stored;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get contentId(): string {
    return this.#contentId;
  }

  /** Whether the bytes of every removed row are erased from disk. */
  get isPurged(): boolean {
    return this.#isPurged;
  }

  /** Bytes of its files after the last cleanup. */
  get cleanBytes(): number {
    return this.#cleanBytes;
  }

  /** Measures the bytes on disk, which compaction increases. */
  async measure(): Promise<void> {
    this.backlog.byteCount = (await this.stored.sizeBytes()) - this.#cleanBytes;
  }

  /** Reads one version of the table, whatever is written concurrently. */
  read<T>(task: (table: Table) => Promise<T>): Promise<T> {
    return this.#reads.run(() => this.stored.read(this.#table, task));
  }

  /** Reads rows or bodies of a scope once few other such reads run. */
  readInTurn<T>(kind: keyof Turns, task: (table: Table) => Promise<T>): Promise<T> {
    return this.stored.turns[kind](() => this.read(task));
  }

  /** Changes, possibly partial, that are not durable yet. */
  get unsynced(): TableChanges {
    return this.#unsynced;
  }

  async append(rows: readonly ScopedRow[]): Promise<void> {
    const placed = rows.map(({ scope, row }) => ({ scope, row: this.vectors.place(row) }));
    if (!this.vectors.fits(placed)) await this.gate.exclusive(() => this.#replaceVectors());
    const data = await this.vectors.batch(placed, () => this.#table.schema());
    await this.gate.shared(() => {
      this.#unsynced.append(rows);
      return this.commit(
        (table) => table.add(data),
        () => rows.length,
      );
    });
    this.#rowCount += rows.length;
    for (const batch of data.batches) this.backlog.byteCount += batch.data.byteLength;
    this.backlog.rowCount += rows.length;
    this.backlog.fragmentCount++;
    this.backlog.unindexedCount++;
    this.backlog.unindexedRowCount += rows.length;
  }

  /** Replaces the column, which removes its index. */
  async #replaceVectors(): Promise<void> {
    await this.vectors.replace();
    this.vectorIndex.isBuilt = false;
  }

  async remove(rows: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    await this.gate.exclusive(async () => {
      this.#unsynced.remove(rows);
      await this.#delete(rowsOf(rows.map(({ rowId }) => rowId)));
    });
  }

  /**
   * Removes the rows of a write that may have been interrupted. Its files may exist without a version that
   * names them, so a purge is needed even if no rows are found.
   */
  async removeFrom(rowId: number, scopes: readonly string[]): Promise<void> {
    await this.gate.exclusive(async () => {
      this.#unsynced.removeFrom(rowId, scopes);
      this.#isPurged = false;
      this.#isDirty = true;
      await this.#delete(rowsFrom(rowId, scopes));
    });
  }

  /** Applies changes of a later version and makes them durable. */
  async applyChanges(changes: TableChanges): Promise<void> {
    this.#unsynced.add(changes);
    for (const [scope, rowId] of changes.removedFrom) await this.removeFrom(rowId, [scope]);
    await this.gate.exclusive(() => this.#delete(rowsOf(changes.rowIdsToRemove)));
    for (const rows of chunks(changes.rows)) await this.append(rows);
    await this.sync();
  }

  /** Closes the table after running tasks and reads have ended, without a sync. */
  async abandon(): Promise<void> {
    await this.gate.exclusive(() => this.#reads.settled());
    this.#table.close();
  }

  /** Removes the rows that match any of the filters. */
  async #delete(filters: readonly Filter[]): Promise<void> {
    for (const filter of filters) {
      const { numDeletedRows } = await this.commit(
        (table) => table.delete(filter),
        ({ numDeletedRows }) => -numDeletedRows,
      );
      this.#rowCount -= numDeletedRows;
      if (numDeletedRows === 0) continue;
      this.#isPurged = false;
      this.backlog.hasRemoved = true;
    }
  }

  /**
   * Changes the table. Call it only inside the gate.
   * @param addedCount returns the number of rows that the change has added, by default 0.
   */
  async commit<T>(change: Change<T>, addedCount: (result: T) => number = () => 0): Promise<T> {
    try {
      return await this.stored.commit(this.#table, change, addedCount);
    } finally {
      this.#isDirty = true;
      this.backlog.versionCount++;
    }
  }

  /** Makes all commits so far durable. */
  async sync(): Promise<void> {
    if (this.#isDirty) await this.gate.shared(() => this.syncInGate());
  }

  /** Syncs inside the gate. Concurrent commits, such as compaction, change no rows. */
  async syncInGate(): Promise<void> {
    const earlier = this.#unsynced;
    if (!earlier.isEmpty) this.#contentId = randomUUID();
    this.#unsynced = new TableChanges();
    this.#isDirty = false;
    try {
      const ids = { contentId: this.#contentId, keptContentId: this.#parts.keptContentId(this.name) };
      const state = { purged: this.#isPurged, cleanBytes: this.#cleanBytes, ...ids };
      await this.stored.settle(this.#table, state);
    } catch (error) {
      this.#isDirty = true;
      earlier.add(this.#unsynced);
      this.#unsynced = earlier;
      throw error;
    }
  }

  /** Resolves when no read needs files of an earlier version. */
  waitForReads(): Promise<void> {
    return this.#reads.settled();
  }

  /**
   * Leaves files behind that cleanup keeps although no version needs them. Call it only inside the gate,
   * exclusively.
   */
  async rewrite(): Promise<void> {
    const rewritten = await this.stored.rewrite?.(this.#table);
    if (rewritten === undefined) return;
    const former = this.#table;
    this.#table = rewritten.table;
    this.isIndexed = false;
    this.vectorIndex.isBuilt = false;
    await this.waitForReads();
    former.close();
    await rewritten.discard();
  }

  /** Resets the counters, because only files in use are left on disk. */
  async resetCounters(): Promise<void> {
    Object.assign(this.backlog, EMPTY_BACKLOG);
    this.#cleanBytes = await this.stored.sizeBytes();
  }

  markPurged(): void {
    this.#isPurged = true;
  }

  async close(): Promise<void> {
    await this.sync();
    this.#table.close();
  }
}

/**
 * Maximum values of an `IN` and rows of an append. Above a few thousand, planning costs more than another
 * query.
 */
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
