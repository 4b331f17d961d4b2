import { readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "@membus/protocol/plugin";
import { TableChanges } from "../table/table-changes.js";
import { type Disk, isMissing, replaceFile } from "./disk.js";
import type { ChangeQueue } from "./table-store.js";

/** Changes of a table in a file next to it. */
export class ChangeFile implements ChangeQueue {
  constructor(
    readonly path: string,
    readonly disk: Disk,
    readonly logger: Logger,
  ) {}

  async read(): Promise<TableChanges> {
    try {
      return TableChanges.decode(await readFile(this.path));
    } catch (error) {
      if (isMissing(error)) return new TableChanges();
      const aside = this.#corruptPath;
      await rename(this.path, aside);
      this.logger.error(
        { err: error, file: aside },
        "lost the queued changes of a table, their file is corrupt",
      );
      return new TableChanges();
    }
  }

  write(changes: TableChanges): Promise<void> {
    return replaceFile(this.path, changes.encode(), this.disk);
  }

  async remove(): Promise<void> {
    await unlink(this.path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await this.disk.syncDirectory(dirname(this.path));
  }

  /** Removes the changes, and damaged ones that were set aside. */
  async removeAll(): Promise<void> {
    for (const path of [this.path, this.#corruptPath]) await rm(path, { force: true });
  }

  get #corruptPath(): string {
    return `${this.path}.corrupt`;
  }
}
