import { join } from "node:path";
import type { GenerationIds, Outdated, RowSink, ScopedRow, Storage, StoragePlace } from "@membus/plugin-kit";
import { parseScopeId, type Scope } from "@membus/protocol";
import { type Disk, disk as realDisk } from "./disk.js";
import { Expiry } from "./expiry.js";
import { inParallel } from "./in-parallel.js";
import {
  type LanceStorageOptions,
  type ResolvedLanceStorageOptions,
  resolveLanceStorageOptions,
} from "./lance-storage-options.js";
import { and, compare, type Filter, isIn } from "./rows/filters.js";
import { readBodies, readOutdated, readScope, readScopes } from "./rows/read-rows.js";
import { isWorthCompacting, lacksIndexes, maintainTable } from "./table/maintenance.js";
import { groupByTable, tableNameOf, tableOf } from "./table/table-name.js";
import { Tables } from "./table/tables.js";
import type { TenantTable } from "./table/tenant-table.js";

/** The tables are in `table` of the directory. */
export interface LanceStoragePlace extends StoragePlace {
  /** Replaced in tests. */
  readonly disk?: Disk;
}

/** Values of an `IN`: above a few thousand, planning costs more than another query. */
const FILTER_VALUES_MAX = 1_000;

/**
 * The rows of a durable tier in LanceDB, one table a tenant.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function createLanceStorage(place: LanceStoragePlace, options: LanceStorageOptions = {}): Storage {
  const { dimensions } = place;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > 65_536) {
    throw new TypeError(`dimensions must be an integer of 1..65536, got ${dimensions}`);
  }
  return new LanceStorage(place, resolveLanceStorageOptions(options));
}

class LanceStorage implements Storage {
  readonly #expiry = new Expiry();
  /** Tables to look after, and whether their removed rows have to go from disk. */
  readonly #written = new Map<string, { purge: boolean }>();
  #opened: Tables | undefined;

  constructor(
    readonly place: LanceStoragePlace,
    readonly options: ResolvedLanceStorageOptions,
  ) {}

  async open(): Promise<void> {
    const { directory, dimensions, embedder, clock, logger, disk = realDisk } = this.place;
    this.#opened = await Tables.open({
      ...{ clock, logger, disk, dimensions, embedder, options: this.options },
      directory: join(directory, "table"),
      opened: (table) => this.#noteOpened(table),
    });
  }

  async load(scope: string, into: RowSink): Promise<void> {
    await this.#tables.use(tableNameOf(scope), (table) => readScope(table, scope, into));
  }

  async readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const bodies = new Map<number, string>();
    await this.#tables.use(tableNameOf(scope), async (table) => {
      for (const ids of chunks(rowIds)) await readBodies(table, { scope, rowIds: ids }, bodies);
    });
    return bodies;
  }

  async append(rows: readonly ScopedRow[]): Promise<void> {
    await inParallel(groupByTable(rows), async ([name, ofTable]) => {
      await this.#tables.useOrCreate(name, (table) => table.append(ofTable));
      this.#note(name, false);
      for (const { row } of ofTable) if (row.expiresAt > 0) this.#expiry.added(name, row.expiresAt);
    });
  }

  async remove(rows: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    await inParallel(groupByTable(rows), async ([name, ofTable]) => {
      const rowIds = ofTable.map(({ rowId }) => rowId);
      await this.#remove(
        name,
        chunks(rowIds).map((ids) => isIn("row_id", ids)),
      );
    });
  }

  async removeFrom(rowId: number, scopes: readonly string[]): Promise<void> {
    const from = compare("row_id", ">=", rowId);
    await inParallel(groupByTable(scopes.map((scope) => ({ scope }))), async ([name, ofTable]) => {
      const ids = ofTable.map(({ scope }) => scope);
      await this.#remove(
        name,
        chunks(ids).map((some) => and(from, isIn("scope", some))),
      );
    });
  }

  async scopes(tenant: string): Promise<readonly Scope[]> {
    const found = new Set<string>();
    await this.#tables.use(tableOf(tenant), (table) => readScopes(table, found));
    return [...found].map(parseScopeId);
  }

  async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const name of this.#tables.names) {
      if (found.size >= limit) break;
      if (!this.#expiry.isDue(name, now)) continue;
      await this.#tables.use(name, (table) => this.#expiry.find(table, now, found, limit));
    }
    return [...found];
  }

  async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const scopes = new Set<string>();
    let rowCount = 0;
    let outdatedCount = 0;
    for (const name of this.#tables.names) {
      await this.#tables.use(name, async (table) => {
        outdatedCount += await readOutdated(table, ids, scopes, limit);
        rowCount += table.rowCount;
      });
    }
    return { rowCount, outdatedCount, scopes: [...scopes] };
  }

  async sync(): Promise<void> {
    await this.#tables.sync();
  }

  /** A table whose maintenance fails does not keep the others from theirs; it is done again the next time. */
  async maintain({ purge }: { readonly purge: boolean }): Promise<void> {
    const written = [...this.#written];
    this.#written.clear();
    await inParallel(written, async ([name, due]) => {
      const wanted = purge || due.purge;
      try {
        await this.#tables.use(name, (table) => this.#maintain(table, wanted));
      } catch (error) {
        this.#note(name, wanted);
        throw error;
      }
    });
  }

  stats(): Readonly<Record<string, number | string>> {
    const open = this.#tables.open;
    const sum = (read: (table: TenantTable) => number) =>
      open.reduce((total, table) => total + read(table), 0);
    return {
      tables: this.#tables.names.length,
      tables_open: open.length,
      tables_open_rows: sum((table) => table.rowCount),
      tables_open_new_fragments: sum((table) => table.tail.fragmentCount),
      tables_open_new_versions: sum((table) => table.tail.versionCount),
    };
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = undefined;
  }

  get #tables(): Tables {
    if (this.#opened === undefined) throw new TypeError("the storage is not open");
    return this.#opened;
  }

  async #remove(name: string, filters: readonly Filter[]): Promise<void> {
    await this.#tables.use(name, (table) => table.remove(filters));
    this.#note(name, false);
  }

  async #maintain(table: TenantTable, purge: boolean): Promise<void> {
    await maintainTable(table, { purge, fragmentsMax: this.options.fragmentsMax });
    if (!table.isPurged || table.tail.compactionCount > 0 || lacksIndexes(table))
      this.#note(table.name, false);
  }

  /** What the process before has left to do. */
  #noteOpened(table: TenantTable): void {
    const { name, isPurged } = table;
    const isWorth = isWorthCompacting(table, this.options.fragmentsMax) || lacksIndexes(table);
    if (!isPurged || isWorth) this.#note(name, !isPurged);
  }

  #note(name: string, purge: boolean): void {
    const due = this.#written.get(name);
    if (due === undefined) this.#written.set(name, { purge });
    else due.purge ||= purge;
  }
}

function chunks<T>(values: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < values.length; from += FILTER_VALUES_MAX) {
    parts.push(values.slice(from, from + FILTER_VALUES_MAX));
  }
  return parts;
}
