import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Connection, Session } from "@lancedb/lancedb";
import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { lancedb } from "../lancedb.js";
import { type Disk, listNames, disk as realDisk } from "./disk.js";
import { DROPPED, FolderTable, QUEUED, TABLE } from "./folder-table.js";
import { linkTables } from "./link-tables.js";
import type { StoredNames, TableStore } from "./table-store.js";

/** Subdirectory of a tier's directory with its tables. */
const TABLES = "table";

export interface FolderStoreContext {
  /** The tier's directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Replaced in tests. */
  readonly disk?: Disk;
}

/** Tables in a folder of the local file system. No other process uses it. */
export class FolderStore implements TableStore {
  readonly remedy =
    "stop the host and restore the table, or move it away to begin an empty one. With --accept-loss it opens without missing rows";
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor({ directory, clock, logger, disk = realDisk }: FolderStoreContext) {
    this.#directory = join(directory, TABLES);
    this.#disk = disk;
    this.#clock = clock;
    this.#logger = logger;
  }

  async open(session: Session): Promise<Connection> {
    await mkdir(this.#directory, { recursive: true });
    await this.#disk.syncDirectory(dirname(this.#directory));
    const connection = await lancedb().connect(this.#directory, {}, session);
    const names = await readdir(this.#directory);
    for (const name of names.filter((file) => file.endsWith(DROPPED)))
      await rm(join(this.#directory, name), { recursive: true, force: true });
    return connection;
  }

  view(): Promise<Connection> {
    return lancedb().connect(this.#directory, { readConsistencyInterval: 0 });
  }

  async list(): Promise<StoredNames> {
    const files = await listNames(this.#directory);
    const endingWith = (suffix: string) =>
      files.flatMap((file) => (file.endsWith(suffix) ? file.slice(0, -suffix.length) : []));
    return { tables: endingWith(TABLE), queued: endingWith(QUEUED) };
  }

  table(name: string): FolderTable {
    const context = {
      directory: this.#directory,
      disk: this.#disk,
      clock: this.#clock,
      logger: this.#logger,
    };
    return new FolderTable(name, context);
  }

  async snapshot(directory: string): Promise<void> {
    await linkTables(this.#directory, join(directory, TABLES), this.#logger);
  }
}
