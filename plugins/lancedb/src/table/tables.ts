import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Connection } from "@lancedb/lancedb";
import { isDiskFull } from "@membus/disk";
import { tenantDamaged } from "@membus/plugin-kit";
import type { Clock, Logger } from "@membus/protocol";
import { type Disk, isMissing } from "../disk.js";
import { inParallel } from "../in-parallel.js";
import type { ResolvedLanceStorageOptions } from "../lance-storage-options.js";
import { lancedb } from "../lancedb.js";
import { readScopes } from "../rows/read-rows.js";
import { tableSchema } from "../rows/schema.js";
import { removeDrafts } from "./drafts.js";
import { SetAside } from "./set-aside.js";
import { newestVersion, readSyncedVersion, rollBack, writeSyncedVersion } from "./synced-version.js";
import { TableChanges } from "./table-changes.js";
import { TableFiles } from "./table-files.js";
import { tenantOf } from "./table-name.js";
import { TenantTable } from "./tenant-table.js";

export interface TablesParts {
  readonly directory: string;
  readonly dimensions: number;
  readonly embedder?: string | undefined;
  readonly options: ResolvedLanceStorageOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly disk: Disk;
  /** Opens tables also when rows of them are missing. */
  readonly acceptLoss: boolean;
  /** See `StoragePlace`. */
  keptContentId(part: string): string | undefined;
  /** Told of every table that opens. */
  opened(table: TenantTable): void;
}

interface OpenTable {
  readonly opening: Promise<TenantTable>;
  table?: TenantTable;
  users: number;
  /** Called when nobody uses it any more. */
  unused?: () => void;
  closing?: Promise<void> | undefined;
}

const SUFFIX = ".lance";
const NONE: ReadonlySet<string> = new Set();
/** A table, or what waits for one that is gone. */
const NAMED = /^(.+)\.(?:lance|waiting)$/;
/** Of a table that is being removed: a kill leaves it whole, or no table any more. */
const DROPPED = ".dropped";

/** The tables of a tier, opened when used; past a bound the least recently used that are idle close. */
export class Tables {
  readonly #parts: TablesParts;
  readonly #connection: Connection;
  /** Every table there is: the directory is ours alone. */
  readonly #names: Set<string>;
  /** Tables that this process has taken back to what was synced. */
  readonly #recovered = new Set<string>();
  /** Least recently used first. */
  readonly #open = new Map<string, OpenTable>();
  readonly #aside: SetAside;
  /** In use again, while their tenants are still refused. */
  #mended: readonly string[] = [];
  #closingCount = 0;

  private constructor(parts: TablesParts, connection: Connection, names: Iterable<string>) {
    this.#parts = parts;
    this.#connection = connection;
    this.#names = new Set(names);
    const { clock, logger, disk, directory } = parts;
    this.#aside = new SetAside({ clock, logger, disk, pathOf: (name) => join(directory, `${name}.waiting`) });
  }

  static async open(parts: TablesParts): Promise<Tables> {
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
    // Every request asks.
    if (this.damagedCount === 0 && this.#mended.length === 0) return NONE;
    return new Set([...this.#aside.names, ...this.#mended].map(tenantOf));
  }

  isDamaged(name: string): boolean {
    return this.#aside.has(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get damagedCount(): number {
    return this.#aside.count;
  }

  /** Those that are open now. */
  get open(): readonly TenantTable[] {
    return [...this.#open.values()].flatMap(({ table }) => table ?? []);
  }

  /**
   * Runs `task` on a table. Undefined, and nothing is created, when there is no such table.
   * @throws {MemoryError} `unavailable` for one that is damaged.
   */
  async use<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    // One that is dropped must not be created again by whoever has waited for that.
    await this.#closed(name);
    return this.has(name) ? this.#useOrCreate(name, task) : undefined;
  }

  /** The same for a task that only reads: a table whose files cannot be read is damaged. */
  async read<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.use(name, task);
    } catch (error) {
      if (!isLanceError(error)) throw error;
      await this.#setAside(name, error, () => undefined);
      throw tenantDamaged(error);
    }
  }

  /** Runs `task` on every table that is not damaged; one where it fails counts as damaged. */
  async each(
    task: (table: TenantTable) => Promise<void>,
    isNeeded: (name: string) => boolean = () => true,
  ): Promise<void> {
    for (const name of this.names) {
      if (this.#aside.has(name) || !isNeeded(name)) continue;
      try {
        await this.use(name, task);
      } catch (error) {
        await this.#setAside(name, error, () => undefined);
      }
    }
  }

  /** Writes to a table, which is created where it is missing. Where that cannot be done now, `note` keeps it. */
  async write(
    name: string,
    note: (changes: TableChanges) => void,
    task: (table: TenantTable) => Promise<void>,
  ): Promise<void> {
    if (this.#aside.has(name)) return this.#aside.change(name, note);
    try {
      await this.#useOrCreate(name, task);
    } catch (error) {
      // What is not done because of what is asked would not be done the next time either.
      if (error instanceof TypeError) throw error;
      await this.#setAside(name, error, note);
    }
  }

  /** Removes a table with all its files, once nobody uses it: there is none from now on. Nobody may write to it meanwhile. */
  async drop(name: string): Promise<void> {
    this.#names.delete(name);
    try {
      await this.#letGo(name);
      const { directory, disk } = this.#parts;
      const path = join(directory, name);
      // Changes that wait would make it anew.
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

  /** Tries damaged tables again, now and then. Those in use again are served from the next time on. */
  async mend(): Promise<void> {
    this.#mended = [];
    for (const name of this.#aside.due) {
      const isMended = await this.#aside.retry(name, (changes) => this.#reopen(name, changes));
      if (isMended) this.#mended = [...this.#mended, name];
    }
  }

  /** What was written to any table is on disk for good. Those that are not open were synced when they closed. */
  async sync(): Promise<void> {
    await inParallel([...this.#open.keys()], async (name) => {
      try {
        await this.use(name, (table) => table.sync());
      } catch (error) {
        await this.#setAside(name, error, () => undefined);
      }
    });
    await this.#aside.keep();
  }

  async close(): Promise<void> {
    await inParallel([...this.#open], async ([name, entry]) => this.#close(name, entry, await entry.opening));
    await this.#aside.keep();
    this.#connection.close();
  }

  /** Runs `task` on a table, which stays open for it. */
  async #useOrCreate<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T> {
    if (this.#aside.has(name)) throw tenantDamaged();
    const entry = await this.#enter(name);
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

  /** What its files do not hold for good goes with it. */
  async #setAside(name: string, error: unknown, note: (changes: TableChanges) => void): Promise<void> {
    // Nothing is wrong with the table.
    if (isDiskFull(error)) throw error;
    if (this.#aside.has(name)) return this.#aside.change(name, note);
    const table = this.#open.get(name)?.table;
    const changes = new TableChanges();
    if (table !== undefined) changes.add(table.unsynced);
    note(changes);
    const released = () => table?.abandon() ?? Promise.resolve();
    await this.#aside.put(name, error, changes, released);
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

  async #enter(name: string): Promise<OpenTable> {
    await this.#closed(name);
    const entry = this.#open.get(name) ?? this.#begin(name);
    entry.users++;
    this.#open.delete(name);
    this.#open.set(name, entry);
    return entry;
  }

  #begin(name: string): OpenTable {
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

  /** `changes` are to be done again; without them those that wait on disk. */
  async #openTable(name: string, changes?: TableChanges): Promise<TenantTable> {
    const { options: _options, opened: _opened, ...shared } = this.#parts;
    const directory = join(this.#parts.directory, name + SUFFIX);
    const exists = this.#names.has(name) && (await this.#recover(name, directory));
    if (!exists) await this.#create(name, directory);
    // What an opening that fails has begun is taken back by the next one.
    this.#recovered.delete(name);
    const table = await TenantTable.open({ ...shared, name, directory, connection: this.#connection });
    const again = changes ?? (await this.#aside.waiting(name));
    if (!again.isEmpty) {
      await table.redo(again);
      await this.#aside.done(name);
    }
    this.#recovered.add(name);
    return table;
  }

  /** False for a table that a crash left unborn: nothing was ever stored in it. */
  async #recover(name: string, directory: string): Promise<boolean> {
    if (this.#recovered.has(name)) return true;
    await removeDrafts(directory);
    const { disk, logger } = this.#parts;
    const synced = await readSyncedVersion(directory, logger);
    if (synced === undefined && (await newestVersion(directory)) <= 1) return false;
    const dropped = synced === undefined ? 0 : await rollBack(directory, synced, disk);
    if (dropped > 0) logger.info({ table: name, versions: dropped }, "table taken back to what was synced");
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

  /** Resolves when it is not being closed. */
  async #closed(name: string): Promise<void> {
    for (let entry = this.#open.get(name); entry?.closing !== undefined; entry = this.#open.get(name)) {
      await entry.closing.catch(() => undefined);
    }
  }

  /** Closes a table without syncing it, once nobody uses it. */
  async #letGo(name: string): Promise<void> {
    await this.#closed(name);
    const entry = this.#open.get(name);
    if (entry === undefined) return;
    if (entry.users > 0) {
      await new Promise<void>((resolve) => {
        entry.unused = resolve;
      });
      return this.#letGo(name);
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
        this.#parts.logger.warn({ err: error, table: name }, "table stays open");
      });
    }
  }

  /** A table that cannot be synced stays open, so that nobody takes it for synced. */
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

/** LanceDB's own errors have no finer code. */
function isLanceError(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "GenericFailure";
}
