import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { etagOf, type Objects, type StoredObject } from "./object-store.js";

/** Objects as files below a folder, so that tests find their bytes and copy them. */
export class FolderObjects implements Objects {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  get(key: string): StoredObject | undefined {
    const path = join(this.#root, key);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return undefined;
    const body = readFileSync(path);
    return { body, etag: etagOf(body), modified: found.mtime };
  }

  set(key: string, body: Buffer): void {
    const path = join(this.#root, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, body);
  }

  delete(key: string): void {
    rmSync(join(this.#root, key), { force: true });
  }

  keysBelow(prefix: string): Iterable<string> {
    const folder = join(this.#root, prefix.slice(0, prefix.lastIndexOf("/") + 1));
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.#root, join(entry.parentPath, entry.name)))
      .filter((key) => key.startsWith(prefix));
  }
}
