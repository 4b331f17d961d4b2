import { isDiskFull } from "@membus/disk";
import type {
  DamagedPart,
  GenerationIds,
  OnPartBytes,
  Outdated,
  RowSink,
  RowSize,
  ScopedRow,
  Storage,
  StorageContext,
  StoredPart,
  VectorStorage,
} from "@membus/plugin-kit";
import { parseOptions, parseScopeId, type Scope } from "@membus/protocol";
import { Expiry } from "./expiry.js";
import { inParallel } from "./in-parallel.js";
import {
  type LanceStorageOptions,
  LanceStorageOptionsSchema,
  type ResolvedLanceStorageOptions,
} from "./lance-storage-options.js";
import { isDamagedRow } from "./rows/checksums.js";
import { readBodies, readOutdated, readScope, readScopes, readSizes } from "./rows/read-rows.js";
import { readAllVectors, readNearest, readVectors } from "./rows/read-vectors.js";
import { FolderStore } from "./store/folder-store.js";
import type { TableStore } from "./store/table-store.js";
import { isMostlyReplaced, isWorthCompacting, maintainTable, needsIndexes } from "./table/maintenance.js";
import type { TableChanges } from "./table/table-changes.js";
import { groupByTable, tableNameOf, tableOf, tenantOf } from "./table/table-name.js";
import { Tables } from "./table/tables.js";
import { chunks, type TenantTable } from "./table/tenant-table.js";
import { needsVectorIndex } from "./table/vector-index.js";
import { verifyTables } from "./table/verify-tables.js";
import { TableParts } from "./table-parts.js";

/** Directory and services of a storage. */
export interface LanceStorageContext extends StorageContext {
  /** Where the tables are kept. By default in the subdirectory `table` of the directory. */
  readonly store?: TableStore;
  /** Opens tables with missing rows, without these rows. */
  readonly acceptLoss?: boolean;
  /** Damaged tables that an operator gives up. One that can be read keeps its rows, another one becomes empty. */
  readonly givenUp?: readonly string[];
}

/**
 * Creates the storage of a durable tier in LanceDB, with one table per tenant.
 * @throws {TypeError} For an unknown option or a value out of range.
 */
export function createLanceStorage(place: LanceStorageContext, options: LanceStorageOptions = {}): Storage {
  const { dimensions } = place;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > 65_536) {
    throw new TypeError(`dimensions must be an integer of 1..65536, got ${dimensions}`);
  }
  return new LanceStorage(place, parseOptions(LanceStorageOptionsSchema, options));
}

/** Table that needs maintenance. */
interface DueTable {
  /** Whether its removed rows must be erased from disk. */
  purge: boolean;
  /** Unix seconds of the next attempt, after a failure. */
  readonly retryAt: number;
}

/** Seconds until failed maintenance is retried, because it may take long and would fail again immediately. */
const RETRY_S = 30;
/** Seconds until a retry after a full disk, because the failure is quick and space may be freed soon. */
const FULL_RETRY_S = 5;

class LanceStorage implements Storage {
  readonly #expiry = new Expiry();
  readonly #store: TableStore;
  readonly parts: TableParts;
  readonly vectors: VectorStorage;
  readonly snapshot?: (directory: string) => Promise<void>;
  readonly #written = new Map<string, DueTable>();
  /**
   * Tables that have not been opened since the storage was opened. Whether an earlier process left rows to
   * purge is unknown.
   */
  readonly #unopened = new Set<string>();
  #opened: Tables | undefined;
  #damagedReadCount = 0;

  constructor(
    readonly place: LanceStorageContext,
    readonly options: ResolvedLanceStorageOptions,
  ) {
    this.#store = place.store ?? new FolderStore(place);
    this.parts = new TableParts(this.#store);
    this.vectors = {
      read: (scope, rowIds) => this.#readVectors(scope, rowIds),
      nearest: (scope, vector, count) => this.#readNearest(scope, vector, count),
      readAll: (scope, take) => this.#read(scope, (table) => readAllVectors(table, scope, take)),
    };
    const { snapshot } = this.#store;
    if (snapshot !== undefined) this.snapshot = snapshot.bind(this.#store);
  }

  async open(): Promise<void> {
    const { dimensions, embedder, clock, logger, acceptLoss = false, givenUp = [] } = this.place;
    this.#opened = await Tables.open({
      ...{ clock, logger, dimensions, embedder, options: this.options, store: this.#store },
      ...{ acceptLoss, givenUp, keptContentId: this.#keptContentId },
      opened: (table) => this.#scheduleLeftover(table),
    });
    for (const name of this.#opened.names) this.#unopened.add(name);
  }

  async load(scope: string, into: RowSink): Promise<void> {
    await this.#read(scope, (table) => readScope(table, scope, into));
  }

  async readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const bodies = new Map<number, string>();
    await this.#read(scope, async (table) => {
      for (const ids of chunks(rowIds)) await readBodies(table, { scope, rowIds: ids }, bodies);
    });
    return bodies;
  }

  async #readVectors(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, Float32Array>> {
    const found = new Map<number, Float32Array>();
    await this.#read(scope, async (table) => {
      for (const ids of chunks(rowIds)) await readVectors(table, { scope, rowIds: ids }, found);
    });
    return found;
  }

  async #readNearest(
    scope: string,
    vector: Float32Array,
    count: number,
  ): Promise<ReadonlyMap<number, Float32Array>> {
    const found = new Map<number, Float32Array>();
    await this.#read(scope, async (table) => {
      await readNearest(table, { scope, vector, count }, found);
      if (needsVectorIndex(table)) this.#scheduleMaintenance(table.name, false);
    });
    return found;
  }

  get damagedTenants(): ReadonlySet<string> {
    return this.#tables.damagedTenants;
  }

  get damagedParts(): readonly DamagedPart[] {
    return this.#tables.damagedParts;
  }

  async append(rows: readonly ScopedRow[]): Promise<void> {
    await inParallel(groupByTable(rows), async ([name, ofTable]) => {
      await this.#write(
        name,
        (changes) => changes.append(ofTable),
        (table) => table.append(ofTable),
      );
      for (const { row } of ofTable) if (row.expiresAt > 0) this.#expiry.added(name, row.expiresAt);
    });
  }

  async remove(rows: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    await inParallel(groupByTable(rows), async ([name, ofTable]) => {
      // A missing table has nothing to remove.
      if (!this.#tables.has(name)) return;
      await this.#write(
        name,
        (changes) => changes.remove(ofTable),
        (table) => table.remove(ofTable),
      );
    });
  }

  async removeFrom(rowId: number, scopes: readonly string[]): Promise<void> {
    await inParallel(groupByTable(scopes.map((scope) => ({ scope }))), async ([name, ofTable]) => {
      const ids = ofTable.map(({ scope }) => scope);
      if (!this.#tables.has(name)) return;
      await this.#write(
        name,
        (changes) => changes.removeFrom(rowId, ids),
        (table) => table.removeFrom(rowId, ids),
      );
    });
  }

  tenants(): readonly string[] {
    return this.#tables.names.map(tenantOf);
  }

  async scopes(tenant: string): Promise<readonly Scope[]> {
    const found = new Set<string>();
    await this.#tables.read(tableOf(tenant), (table) => readScopes(table, found));
    return [...found].map(parseScopeId);
  }

  async sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    await this.#tables.read(tableOf(tenant), (table) => readSizes(table, take));
  }

  async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    const found = new Set<string>();
    await this.#tables.each(
      (table) => this.#expiry.find(table, now, found, limit),
      (name) => found.size < limit && this.#expiry.isDue(name, now),
    );
    return [...found];
  }

  async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const scopes = new Set<string>();
    let rowCount = 0;
    let outdatedCount = 0;
    await this.#tables.each(async (table) => {
      outdatedCount += await readOutdated(table, ids, scopes, limit);
      rowCount += table.rowCount;
    });
    return { rowCount, outdatedCount, scopes: [...scopes] };
  }

  async sync(): Promise<void> {
    await this.#tables.sync();
  }

  /** Maintains the tables. A failure of one table does not affect the others and is retried the next time. */
  async maintain({ purge, tenant }: { readonly purge: boolean; readonly tenant?: string }): Promise<boolean> {
    if (tenant !== undefined) {
      await this.#tables.maintain(tableOf(tenant), (table) => this.#maintain(table, purge));
      return true;
    }
    await this.#tables.retryDamaged();
    if (purge) for (const name of this.#unopened) this.#scheduleMaintenance(name, true);
    const now = this.place.clock.now();
    const written = [...this.#written].filter(
      ([name, { retryAt }]) => retryAt <= now && !this.#tables.isDamaged(name),
    );
    for (const [name] of written) this.#written.delete(name);
    await inParallel(written, async ([name, due]) => {
      const shouldPurge = purge || due.purge;
      try {
        await this.#tables.maintain(name, (table) => this.#maintain(table, shouldPurge));
      } catch (error) {
        this.#scheduleMaintenance(name, shouldPurge, now + (isDiskFull(error) ? FULL_RETRY_S : RETRY_S));
        throw error;
      }
    });
    return this.#tables.damagedCount === 0 && ![...this.#written.values()].some((due) => due.purge);
  }

  verify(onBytes: OnPartBytes): AsyncIterable<StoredPart> {
    return verifyTables(this.#store, onBytes);
  }

  async dropTenant(tenant: string, leaves: (part: string) => Promise<void>): Promise<void> {
    const name = tableOf(tenant);
    if (!this.#tables.has(name)) return;
    await leaves(name);
    await this.#tables.drop(name);
    this.parts.dropped(name);
    this.#written.delete(name);
    this.#unopened.delete(name);
  }

  stats(): Readonly<Record<string, number | string>> {
    const open = this.#tables.open;
    const { repairCount } = this.#store;
    const sum = (read: (table: TenantTable) => number) =>
      open.reduce((total, table) => total + read(table), 0);
    return {
      tables: this.#tables.names.length,
      tables_damaged: this.#tables.damagedCount,
      damaged_reads: this.#damagedReadCount,
      ...this.#tables.unreachable.stats,
      ...(repairCount !== undefined && { table_repairs: repairCount }),
      tables_open: open.length,
      tables_open_rows: sum((table) => table.rowCount),
      tables_open_new_fragments: sum((table) => table.backlog.fragmentCount),
      tables_open_new_versions: sum((table) => table.backlog.versionCount),
      tables_open_vector_indexes: sum((table) => (table.vectorIndex.isBuilt ? 1 : 0)),
    };
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = undefined;
  }

  get #tables(): Tables {
    if (this.#opened === undefined) throw new TypeError("the storage is not open. Call open() first");
    return this.#opened;
  }

  /** Reads a scope. Logs a damaged row with its id, which clients do not get. */
  async #read(scope: string, read: (table: TenantTable) => Promise<void>): Promise<void> {
    const name = tableNameOf(scope);
    try {
      await this.#tables.read(name, read);
    } catch (error) {
      if (isDamagedRow(error)) {
        this.#damagedReadCount++;
        this.place.logger.error({ err: error, table: name }, "a row is damaged and is not served");
      }
      throw error;
    }
  }

  /** Runs `task`, or records the change with `note` if the table is damaged. */
  async #write(
    name: string,
    note: (changes: TableChanges) => void,
    task: (table: TenantTable) => Promise<void>,
  ): Promise<void> {
    await this.#tables.write(name, note, async (table) => {
      await withoutDrafts(table, () => task(table));
      this.parts.note(name);
    });
    this.#scheduleMaintenance(name, false);
  }

  async #maintain(table: TenantTable, purge: boolean): Promise<void> {
    const { fragmentsMax } = this.options;
    await withoutDrafts(table, () => maintainTable(table, { purge, fragmentsMax }));
    if (!table.isPurged || table.backlog.compactionCount > 0 || needsIndexes(table))
      this.#scheduleMaintenance(table.name, false);
  }

  get #keptContentId(): (part: string) => string | undefined {
    return this.place.keptContentId ?? (() => undefined);
  }

  /** Records the work that an earlier process left. */
  #scheduleLeftover(table: TenantTable): void {
    const { name, isPurged, contentId } = table;
    this.#unopened.delete(name);
    if (contentId !== this.#keptContentId(name)) this.parts.note(name);
    const isWorth =
      isMostlyReplaced(table) || isWorthCompacting(table, this.options.fragmentsMax) || needsIndexes(table);
    if (!isPurged || isWorth) this.#scheduleMaintenance(name, !isPurged);
  }

  #scheduleMaintenance(name: string, purge: boolean, retryAt = 0): void {
    const due = this.#written.get(name);
    if (due === undefined) this.#written.set(name, { purge, retryAt });
    else due.purge ||= purge;
  }
}

/** Removes drafts after a full disk, because incomplete files must not take up the remaining space. */
async function withoutDrafts(table: TenantTable, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (isDiskFull(error)) await table.gate.exclusive(() => table.stored.removeDrafts());
    throw error;
  }
}
