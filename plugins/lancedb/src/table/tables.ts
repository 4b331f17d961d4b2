import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Connection } from "@lancedb/lancedb";
import type { Clock, Logger } from "@membus/protocol";
import type { Disk } from "../disk.js";
import { inParallel } from "../in-parallel.js";
import type { ResolvedLanceStorageOptions } from "../lance-storage-options.js";
import { lancedb } from "../lancedb.js";
import { tableSchema } from "../rows/schema.js";
import { removeDrafts } from "./drafts.js";
import { newestVersion, readSyncedVersion, rollBack, writeSyncedVersion } from "./synced-version.js";
import { TableFiles } from "./table-files.js";
import { TenantTable } from "./tenant-table.js";

export interface TablesParts {
  readonly directory: string;
  readonly dimensions: number;
  readonly embedder?: string | undefined;
  readonly options: ResolvedLanceStorageOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly disk: Disk;
  /** Told of every table that opens. */
  opened(table: TenantTable): void;
}

interface OpenTable {
  readonly opening: Promise<TenantTable>;
  table?: TenantTable;
  users: number;
  closing?: Promise<void> | undefined;
}

const SUFFIX = ".lance";

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
  #closingCount = 0;

  private constructor(parts: TablesParts, connection: Connection, names: Iterable<string>) {
    this.#parts = parts;
    this.#connection = connection;
    this.#names = new Set(names);
  }

  static async open(parts: TablesParts): Promise<Tables> {
    const { directory, disk, options } = parts;
    await mkdir(directory, { recursive: true });
    await disk.syncDirectory(dirname(directory));
    const { connect, Session } = lancedb();
    const session = new Session(BigInt(options.indexCacheBytes), BigInt(options.metadataCacheBytes));
    const connection = await connect(directory, {}, session);
    const files = (await readdir(directory)).filter((file) => file.endsWith(SUFFIX));
    return new Tables(
      parts,
      connection,
      files.map((file) => file.slice(0, -SUFFIX.length)),
    );
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  /** Those that are open now. */
  get open(): readonly TenantTable[] {
    return [...this.#open.values()].flatMap(({ table }) => table ?? []);
  }

  /** Runs `task` on a table. Undefined, and nothing is created, when there is no such table. */
  async use<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    return this.#names.has(name) ? this.useOrCreate(name, task) : undefined;
  }

  /** Runs `task` on a table, which stays open for it. */
  async useOrCreate<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T> {
    const entry = await this.#enter(name);
    try {
      return await task(await entry.opening);
    } finally {
      entry.users--;
      await this.#closeIdle();
    }
  }

  /** What was written to any table is on disk for good. Those that are not open were synced when they closed. */
  async sync(): Promise<void> {
    await inParallel([...this.#open.keys()], async (name) => {
      await this.use(name, (table) => table.sync());
    });
  }

  async close(): Promise<void> {
    await inParallel([...this.#open], async ([name, entry]) => this.#close(name, entry, await entry.opening));
    this.#connection.close();
  }

  async #enter(name: string): Promise<OpenTable> {
    const present = this.#open.get(name);
    if (present?.closing !== undefined) {
      await present.closing.catch(() => undefined);
      return this.#enter(name);
    }
    const entry = present ?? this.#begin(name);
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

  async #openTable(name: string): Promise<TenantTable> {
    const { clock, disk, dimensions, embedder } = this.#parts;
    const directory = join(this.#parts.directory, name + SUFFIX);
    const exists = this.#names.has(name) && (await this.#recover(name, directory));
    if (!exists) await this.#create(name, directory);
    const parts = { name, connection: this.#connection, directory, dimensions, embedder, clock, disk };
    return TenantTable.open(parts);
  }

  /** False for a table that a crash left unborn: nothing was ever stored in it. */
  async #recover(name: string, directory: string): Promise<boolean> {
    if (this.#recovered.has(name)) return true;
    await removeDrafts(directory);
    const synced = await readSyncedVersion(directory);
    if (synced === undefined && (await newestVersion(directory)) <= 1) return false;
    const { disk, logger } = this.#parts;
    const dropped = synced === undefined ? 0 : await rollBack(directory, synced, disk);
    if (dropped > 0) logger.info({ table: name, versions: dropped }, "table taken back to what was synced");
    this.#recovered.add(name);
    return true;
  }

  async #create(name: string, directory: string): Promise<void> {
    const { dimensions, disk } = this.#parts;
    await rm(directory, { recursive: true, force: true });
    const table = await this.#connection.createEmptyTable(name, tableSchema(dimensions));
    table.close();
    await new TableFiles(directory, disk).sync();
    await disk.syncDirectory(dirname(directory));
    await writeSyncedVersion(directory, { version: 1, purged: true }, disk);
    this.#names.add(name);
    this.#recovered.add(name);
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
