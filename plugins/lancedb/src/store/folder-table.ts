import { access, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Connection, Table } from "@lancedb/lancedb";
import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { Schema } from "apache-arrow";
import { retryCommit } from "../table/commit-retry.js";
import { ChangeFile } from "./change-file.js";
import { type Disk, isMissing, isNoDirectory, listNames } from "./disk.js";
import { diskBytes } from "./disk-bytes.js";
import { removeDrafts } from "./drafts.js";
import { FileSync } from "./file-sync.js";
import { orphansOf } from "./orphans.js";
import { readOwner, writeOwner } from "./owner-file.js";
import { newestVersion, readSyncedVersion, rollBack, writeSyncedVersion } from "./synced-version.js";
import type {
  Change,
  ContentIds,
  SettledState,
  StoredTable,
  SyncedVersion,
  TableContent,
} from "./table-store.js";
import { FOLDER_TURNS } from "./turns.js";

export const TABLE = ".lance";
export const QUEUED = ".waiting";
/**
 * Suffix of a table that is being removed. After a kill the table either exists or is removed at the next
 * start.
 */
export const DROPPED = ".dropped";

/** File in a table's directory that names the owning folder and table. */
const OWNER = "_owner.json";
/** Name of a file with removed rows of a fragment. It starts with the fragment's number. */
const DELETIONS = /^(\d+)-.*\.(?:arrow|bin)$/;
/** LanceDB computes ages with its own clock. A time in the far future cleans up everything. */
const EVERYTHING = new Date(Date.UTC(2200, 0));

export interface FolderTableContext {
  /** Directory of all tables. */
  readonly directory: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A table in a directory of the local file system. */
export class FolderTable implements StoredTable {
  readonly location: string;
  readonly queue: ChangeFile;
  readonly turns = FOLDER_TURNS;
  readonly #name: string;
  /** Path without a suffix. */
  readonly #path: string;
  readonly #context: FolderTableContext;
  readonly #files: FileSync;

  constructor(name: string, context: FolderTableContext) {
    this.#name = name;
    this.#path = join(context.directory, name);
    this.#context = context;
    this.location = this.#path + TABLE;
    this.queue = new ChangeFile(this.#path + QUEUED, context.disk, context.logger);
    this.#files = new FileSync(this.location, context.disk);
  }

  async open(connection: Connection, isSynced: boolean): Promise<Table | undefined> {
    if (!isSynced && !(await this.#recover())) return undefined;
    return this.view(connection);
  }

  view(connection: Connection): Promise<Table> {
    return connection.openTable(this.#name);
  }

  /** Undoes every change after the synced version. Returns false if there is no version. */
  async #recover(): Promise<boolean> {
    await removeDrafts(this.location);
    const { disk, logger } = this.#context;
    const synced = await this.synced();
    if (synced === undefined && (await newestVersion(this.location)) <= 1) return false;
    const versions = synced === undefined ? 0 : await rollBack(this.location, synced, disk);
    if (versions > 0)
      logger.info({ table: this.#name, versions }, "rolled a table back to its last synced version");
    return true;
  }

  async create(connection: Connection, schema: Schema, ids: ContentIds): Promise<Table> {
    const { disk, directory } = this.#context;
    await rm(this.location, { recursive: true, force: true });
    const table = await connection.createEmptyTable(this.#name, schema);
    table.close();
    await new FileSync(this.location, disk).sync();
    await disk.syncDirectory(directory);
    const empty = { version: 1, rowCount: 0, purged: true, cleanBytes: 0 };
    await writeSyncedVersion(this.location, { ...empty, ...ids }, disk);
    return this.view(connection);
  }

  /** No other process changes the table, so the number of rows needs no check. */
  commit<T>(table: Table, change: Change<T>): Promise<T> {
    return retryCommit(this.#context.clock, () => change(table));
  }

  read<T>(table: Table, task: Change<T>): Promise<T> {
    return task(table);
  }

  async remove(): Promise<void> {
    const { disk, directory } = this.#context;
    // Queued changes would create the table again.
    await this.queue.removeAll();
    const dropped = this.#path + DROPPED;
    await rename(this.location, dropped).catch((error) => {
      if (!isMissing(error)) throw error;
    });
    await disk.syncDirectory(directory);
    await rm(dropped, { recursive: true, force: true });
    await disk.syncDirectory(directory);
  }

  synced(): Promise<SyncedVersion | undefined> {
    return readSyncedVersion(this.location, this.#context.logger);
  }

  /** The version is read first, when all its files exist, so that the walk finds them. */
  async settle(table: Table, state: SettledState): Promise<void> {
    const version = await newestVersion(this.location);
    const rowCount = await table.countRows();
    await this.#files.sync();
    await writeSyncedVersion(this.location, { version, rowCount, ...state }, this.#context.disk);
  }

  sizeBytes(): Promise<number> {
    return diskBytes(this.location);
  }

  async fragmentsWithRemovedRows(): Promise<readonly number[]> {
    const files = await listNames(join(this.location, "_deletions"));
    return [...new Set(files.flatMap((name) => DELETIONS.exec(name)?.[1] ?? []))].map(Number);
  }

  /** No write is running, so no file belongs to one. */
  async cleanUp(table: Table): Promise<void> {
    await table.optimize({ cleanupOlderThan: EVERYTHING, deleteUnverified: true });
    const indexes = join(this.location, "_indices");
    for (const name of await listNames(indexes)) {
      // LanceDB leaves the empty directory of a former index. A directory in use is not empty and stays.
      await rmdir(join(indexes, name)).catch(() => undefined);
    }
  }

  removeDrafts(): Promise<void> {
    return removeDrafts(this.location);
  }

  orphans(): Promise<readonly string[]> {
    return orphansOf(this.location);
  }

  /** Returns the contents that remain after a crash. Opening rolls back later versions. */
  async content(): Promise<TableContent> {
    const synced = await this.synced().catch(() => undefined);
    const { rowCount = 0, contentId, keptContentId } = synced ?? {};
    try {
      const version = synced?.version ?? (await newestVersion(this.location));
      return { version, rowCount, contentId, keptContentId };
    } catch (error) {
      // The table exists but is damaged. Only its tenant is refused, when it is used.
      if (isNoDirectory(error))
        return { version: Number.POSITIVE_INFINITY, rowCount, contentId, keptContentId };
      throw error;
    }
  }

  owner(): Promise<string | undefined> {
    return readOwner(join(this.location, OWNER), this.#name);
  }

  claim(folderId: string): Promise<void> {
    const owner = { folder: folderId, table: this.#name };
    return writeOwner(join(this.location, OWNER), owner, this.#context.disk);
  }

  async setAside(): Promise<string> {
    for (let n = 1; ; n++) {
      const aside = `${this.#path}.foreign-${n}`;
      if (await exists(aside)) continue;
      await rename(this.location, aside);
      await this.#context.disk.syncDirectory(dirname(aside));
      return aside;
    }
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
