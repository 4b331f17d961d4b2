import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Connection } from "@lancedb/lancedb";
import { isDiskFull } from "@membus/disk";
import { tenantDamaged } from "@membus/plugin-kit";
import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { type Disk, isMissing } from "../disk.js";
import { inParallel } from "../in-parallel.js";
import type { ResolvedLanceStorageOptions } from "../lance-storage-options.js";
import { lancedb } from "../lancedb.js";
import { readScopes } from "../rows/read-rows.js";
import { tableSchema } from "../rows/schema.js";
import { DamagedTables } from "./damaged-tables.js";
import { removeDrafts } from "./drafts.js";
import { newestVersion, readSyncedVersion, rollBack, writeSyncedVersion } from "./synced-version.js";
import { TableChanges } from "./table-changes.js";
import { TableFiles } from "./table-files.js";
import { tenantOf } from "./table-name.js";
import { TenantTable } from "./tenant-table.js";

export interface TablesDependencies {
  readonly directory: string;
  readonly dimensions: number;
  readonly embedder?: string | undefined;
  readonly options: ResolvedLanceStorageOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly disk: Disk;
  /** Opens tables with missing rows. */
  readonly acceptLoss: boolean;
  /** See `StorageContext`. */
  keptContentId(part: string): string | undefined;
  /** Called for every opened table. */
  opened(table: TenantTable): void;
}

interface OpenTable {
  readonly opening: Promise<TenantTable>;
  table?: TenantTable;
  users: number;
  /** Called when the last user is done. */
  unused?: () => void;
  closing?: Promise<void> | undefined;
}

const SUFFIX = ".lance";
const NONE: ReadonlySet<string> = new Set();
/** Name of a table, or of the queued changes of a missing one. */
const NAMED = /^(.+)\.(?:lance|waiting)$/;
/**
 * Suffix of a table that is being removed. After a kill the table either exists or is removed at the next
 * start.
 */
const DROPPED = ".dropped";

/**
 * Tables of a tier, opened on first use. Beyond the limit, the least recently used idle tables are closed.
 */
export class Tables {
  readonly #parts: TablesDependencies;
  readonly #connection: Connection;
  /** All existing tables. No other process uses the directory. */
  readonly #names: Set<string>;
  /** Tables that this process has rolled back to their synced version. */
  readonly #recovered = new Set<string>();
  /** Open tables, least recently used first. */
  readonly #open = new Map<string, OpenTable>();
  readonly #damaged: DamagedTables;
  /** Tables that are in use again while their tenants are still refused. */
  #recoveredDamaged: readonly string[] = [];
  #closingCount = 0;

  private constructor(parts: TablesDependencies, connection: Connection, names: Iterable<string>) {
    this.#parts = parts;
    this.#connection = connection;
    this.#names = new Set(names);
    const { clock, logger, disk, directory } = parts;
    this.#damaged = new DamagedTables({
      clock,
      logger,
      disk,
      pathOf: (name) => join(directory, `${name}.waiting`),
    });
  }

  static async open(parts: TablesDependencies): Promise<Tables> {
    const { directory, disk, options } = parts;
    await mkdir(directory, { recursive: true });
    await disk.syncDirectory(dirname(directory));
    const { connect, Session } = lancedb();
    const session = new Session(BigInt(options.indexCacheBytes), BigInt(options.metadataCacheBytes));
    const connection = await connect(directory, {}, session);
    const files = await readdir(directory);
    for (const file of files.filter((name) => name.endsWith(DROPPED))) await remove(join(directory, file));
    const names = files.flatMap((file) => NAMED.exec(file)?.[1] ?? []);
    return new Tables(parts, connection, names);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  get damagedTenants(): ReadonlySet<string> {
    // Fast path, because every request reads this.
    if (this.damagedCount === 0 && this.#recoveredDamaged.length === 0) return NONE;
    return new Set([...this.#damaged.names, ...this.#recoveredDamaged].map(tenantOf));
  }

  isDamaged(name: string): boolean {
    return this.#damaged.has(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get damagedCount(): number {
    return this.#damaged.count;
  }

  /** Tables that are open now. */
  get open(): readonly TenantTable[] {
    return [...this.#open.values()].flatMap(({ table }) => table ?? []);
  }

  /**
   * Runs `task` on a table. Returns undefined and creates nothing if the table does not exist.
   * @throws {MemoryError} `unavailable` for a damaged table.
   */
  async use<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    // A table that is being dropped must not be created again by a waiting task.
    await this.#closed(name);
    return this.has(name) ? this.#useOrCreate(name, task) : undefined;
  }

  /** Like `use` for a reading task. A table with unreadable files becomes damaged. */
  async read<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.use(name, task);
    } catch (error) {
      if (!isLanceError(error)) throw error;
      await this.#setAside(name, error, () => undefined);
      throw tenantDamaged(error);
    }
  }

  /** Runs `task` on every undamaged table. A table with a failure becomes damaged. */
  async each(
    task: (table: TenantTable) => Promise<void>,
    isNeeded: (name: string) => boolean = () => true,
  ): Promise<void> {
    for (const name of this.names) {
      if (this.#damaged.has(name) || !isNeeded(name)) continue;
      try {
        await this.use(name, task);
      } catch (error) {
        await this.#setAside(name, error, () => undefined);
      }
    }
  }

  /**
   * Writes to a table and creates it if it is missing. If the write is not possible now, `note` records it.
   */
  async write(
    name: string,
    note: (changes: TableChanges) => void,
    task: (table: TenantTable) => Promise<void>,
  ): Promise<void> {
    if (this.#damaged.has(name)) return this.#damaged.change(name, note);
    try {
      await this.#useOrCreate(name, task);
    } catch (error) {
      // An invalid request would fail again the next time.
      if (error instanceof TypeError) throw error;
      await this.#setAside(name, error, note);
    }
  }

  /**
   * Removes a table with all its files once it is unused. From the call on it does not exist. It must not be
   * written to concurrently.
   */
  async drop(name: string): Promise<void> {
    this.#names.delete(name);
    try {
      await this.#closeWhenUnused(name);
      const { directory, disk } = this.#parts;
      const path = join(directory, name);
      // Queued changes would create the table again.
      for (const suffix of [".waiting", ".waiting.corrupt"]) await remove(path + suffix);
      await rename(path + SUFFIX, path + DROPPED).catch((error) => {
        if (!isMissing(error)) throw error;
      });
      await disk.syncDirectory(directory);
      await remove(path + DROPPED);
      await disk.syncDirectory(directory);
    } catch (error) {
      this.#names.add(name);
      throw error;
    }
    this.#recovered.delete(name);
  }

  /** Retries damaged tables that are due. Recovered tables are served from the next call on. */
  async retryDamaged(): Promise<void> {
    this.#recoveredDamaged = [];
    for (const name of this.#damaged.due) {
      const isRecovered = await this.#damaged.retry(name, (changes) => this.#reopen(name, changes));
      if (isRecovered) this.#recoveredDamaged = [...this.#recoveredDamaged, name];
    }
  }

  /** Makes all writes to tables durable. Closed tables were synced when they were closed. */
  async sync(): Promise<void> {
    await inParallel([...this.#open.keys()], async (name) => {
      try {
        await this.use(name, (table) => table.sync());
      } catch (error) {
        await this.#setAside(name, error, () => undefined);
      }
    });
    await this.#damaged.keep();
  }

  async close(): Promise<void> {
    await inParallel([...this.#open], async ([name, entry]) => this.#close(name, entry, await entry.opening));
    await this.#damaged.keep();
    this.#connection.close();
  }

  /** Runs `task` on a table and keeps the table open. */
  async #useOrCreate<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T> {
    if (this.#damaged.has(name)) throw tenantDamaged();
    const entry = await this.#acquire(name);
    try {
      return await task(await this.#opened(name, entry));
    } finally {
      entry.users--;
      if (entry.users === 0) entry.unused?.();
      await this.#closeIdle();
    }
  }

  async #opened(name: string, { opening }: OpenTable): Promise<TenantTable> {
    try {
      return await opening;
    } catch (error) {
      await this.#setAside(name, error, () => undefined);
      throw tenantDamaged(error);
    }
  }

  /** Sets a damaged table aside, together with its changes that are not durable. */
  async #setAside(name: string, error: unknown, note: (changes: TableChanges) => void): Promise<void> {
    // The table itself is intact.
    if (isDiskFull(error)) throw error;
    if (this.#damaged.has(name)) return this.#damaged.change(name, note);
    const table = this.#open.get(name)?.table;
    const changes = new TableChanges();
    if (table !== undefined) changes.add(table.unsynced);
    note(changes);
    const released = () => table?.abandon() ?? Promise.resolve();
    await this.#damaged.add(name, error, changes, released);
    this.#open.delete(name);
  }

  async #reopen(name: string, changes: TableChanges): Promise<void> {
    this.#recovered.delete(name);
    const table = await this.#openTable(name, changes);
    try {
      await readScopes(table, new Set());
    } finally {
      await table.close();
    }
  }

  async #acquire(name: string): Promise<OpenTable> {
    await this.#closed(name);
    const entry = this.#open.get(name) ?? this.#startOpening(name);
    entry.users++;
    this.#open.delete(name);
    this.#open.set(name, entry);
    return entry;
  }

  #startOpening(name: string): OpenTable {
    const opening = this.#openTable(name);
    const entry: OpenTable = { opening, users: 0 };
    opening.then(
      (table) => {
        entry.table = table;
        this.#parts.opened(table);
      },
      () => this.#open.delete(name),
    );
    return entry;
  }

  /** Opens a table and applies `changes`, or the queued changes on disk. */
  async #openTable(name: string, changes?: TableChanges): Promise<TenantTable> {
    const { options: _options, opened: _opened, ...shared } = this.#parts;
    const directory = join(this.#parts.directory, name + SUFFIX);
    const exists = this.#names.has(name) && (await this.#recover(name, directory));
    if (!exists) await this.#create(name, directory);
    // The next opening rolls back a failed one.
    this.#recovered.delete(name);
    const table = await TenantTable.open({ ...shared, name, directory, connection: this.#connection });
    const pending = changes ?? (await this.#damaged.queuedChanges(name));
    if (!pending.isEmpty) {
      await table.applyChanges(pending);
      await this.#damaged.done(name);
    }
    this.#recovered.add(name);
    return table;
  }

  /** Returns false for a table if a crash interrupted its creation. Nothing was stored in it. */
  async #recover(name: string, directory: string): Promise<boolean> {
    if (this.#recovered.has(name)) return true;
    await removeDrafts(directory);
    const { disk, logger } = this.#parts;
    const synced = await readSyncedVersion(directory, logger);
    if (synced === undefined && (await newestVersion(directory)) <= 1) return false;
    const dropped = synced === undefined ? 0 : await rollBack(directory, synced, disk);
    if (dropped > 0)
      logger.info({ table: name, versions: dropped }, "rolled a table back to its last synced version");
    return true;
  }

  async #create(name: string, directory: string): Promise<void> {
    const { dimensions, disk, keptContentId } = this.#parts;
    await rm(directory, { recursive: true, force: true });
    const table = await this.#connection.createEmptyTable(name, tableSchema(dimensions));
    table.close();
    await new TableFiles(directory, disk).sync();
    await disk.syncDirectory(dirname(directory));
    const empty = { version: 1, rowCount: 0, purged: true, cleanBytes: 0 };
    const ids = { contentId: randomUUID(), keptContentId: keptContentId(name) };
    await writeSyncedVersion(directory, { ...empty, ...ids }, disk);
    this.#names.add(name);
  }

  /** Resolves when the table is not being closed. */
  async #closed(name: string): Promise<void> {
    for (let entry = this.#open.get(name); entry?.closing !== undefined; entry = this.#open.get(name)) {
      await entry.closing.catch(() => undefined);
    }
  }

  /** Closes a table without a sync once it is unused. */
  async #closeWhenUnused(name: string): Promise<void> {
    await this.#closed(name);
    const entry = this.#open.get(name);
    if (entry === undefined) return;
    if (entry.users > 0) {
      await new Promise<void>((resolve) => {
        entry.unused = resolve;
      });
      return this.#closeWhenUnused(name);
    }
    entry.closing = entry.table?.abandon();
    await entry.closing;
    this.#open.delete(name);
  }

  async #closeIdle(): Promise<void> {
    for (const [name, entry] of this.#open) {
      if (this.#open.size - this.#closingCount <= this.#parts.options.openTablesMax) return;
      if (entry.users > 0 || entry.table === undefined || entry.closing !== undefined) continue;
      await this.#close(name, entry, entry.table).catch((error: unknown) => {
        this.#parts.logger.warn({ err: error, table: name }, "could not close a table, it stays open");
      });
    }
  }

  /** Closes a table. A table that cannot be synced stays open, so that it is not treated as synced. */
  async #close(name: string, entry: OpenTable, table: TenantTable): Promise<void> {
    entry.closing = table.close();
    this.#closingCount++;
    try {
      await entry.closing;
      this.#open.delete(name);
    } finally {
      this.#closingCount--;
      entry.closing = undefined;
    }
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

/** Returns whether an error is from LanceDB, which has no more specific code. */
function isLanceError(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "GenericFailure";
}
