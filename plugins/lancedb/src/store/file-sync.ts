import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Disk, isMissing } from "./disk.js";

/** The only file that LanceDB writes more than once. */
export const LATEST_HINT = "latest_version_hint.json";

/**
 * Makes the files of a table survive power loss, because LanceDB does not sync. LanceDB gives every file a
 * new name and never changes one, so files with a known name are synced.
 */
export class FileSync {
  #synced = new Map<string, ReadonlySet<string>>();

  constructor(
    readonly directory: string,
    readonly disk: Disk,
  ) {}

  /** Syncs all files added since the last call, on the first call all files. */
  async sync(): Promise<void> {
    const seen = new Map<string, ReadonlySet<string>>();
    await this.#sync(this.directory, seen);
    this.#synced = seen;
  }

  async #sync(directory: string, seen: Map<string, ReadonlySet<string>>): Promise<void> {
    const entries = await readdir(directory, { withFileTypes: true });
    const before = this.#synced.get(directory) ?? new Set();
    const isNew = entries.some((entry) => !before.has(entry.name));
    const files = entries.filter((entry) => needsSync(entry, before, isNew));
    await Promise.all(files.map((file) => this.#syncFile(join(directory, file.name))));
    for (const entry of entries) if (entry.isDirectory()) await this.#sync(join(directory, entry.name), seen);
    if (isNew || entries.length < before.size) await this.disk.syncDirectory(directory);
    seen.set(directory, new Set(entries.map((entry) => entry.name)));
  }

  /** Syncs a file. A file that no longer exists was a temporary file of LanceDB and has another name now. */
  async #syncFile(path: string): Promise<void> {
    try {
      await this.disk.syncFile(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

function needsSync(entry: Dirent, synced: ReadonlySet<string>, isDirectoryChanged: boolean): boolean {
  return entry.isFile() && (!synced.has(entry.name) || (isDirectoryChanged && entry.name === LATEST_HINT));
}
