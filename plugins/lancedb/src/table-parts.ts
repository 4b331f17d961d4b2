import { access, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { StoragePart, StorageParts } from "@membus/plugin-kit";
import type { Logger } from "@membus/protocol/plugin";
import { type Disk, isMissing, replaceFile } from "./disk.js";
import { newestVersion, readSyncedVersion } from "./table/synced-version.js";

const SUFFIX = ".lance";
/** File in a table's directory that names the owning folder and table. */
const OWNER = "_owner.json";

interface Owner {
  readonly folder: string;
  readonly table: string;
}

/** Tables of a storage as files, each marked with the folder that it belongs to. */
export class TableParts implements StorageParts {
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #logger: Logger;
  /** Number of changes per table, so that a concurrent change is reported again. */
  readonly #changed = new Map<string, number>();
  readonly #marked = new Set<string>();

  constructor(directory: string, { disk, logger }: { readonly disk: Disk; readonly logger: Logger }) {
    this.#directory = directory;
    this.#disk = disk;
    this.#logger = logger;
  }

  /** Records a write to a table. */
  note(name: string): void {
    this.#changed.set(name, (this.#changed.get(name) ?? 0) + 1);
  }

  /** Removes a deleted table. */
  dropped(name: string): void {
    this.#changed.delete(name);
    this.#marked.delete(name);
  }

  async list(): Promise<readonly StoragePart[]> {
    const parts: StoragePart[] = [];
    for (const name of await this.#names()) {
      const directory = this.#pathOf(name);
      const owner = await readOwner(directory);
      const ownerOfName = owner === undefined || owner.table === name ? owner?.folder : "another table";
      parts.push({ name, owner: ownerOfName, ...(await contentOf(directory, this.#logger)) });
    }
    return parts;
  }

  async recordOwner(folderId: string): Promise<readonly StoragePart[]> {
    const changed = [...this.#changed];
    const parts: StoragePart[] = [];
    for (const [name] of changed) {
      const directory = this.#pathOf(name);
      if (!this.#marked.has(name)) await this.#mark(name, { folder: folderId, table: name });
      parts.push({ name, owner: folderId, ...(await contentOf(directory, this.#logger)) });
    }
    for (const [name, count] of changed) if (this.#changed.get(name) === count) this.#changed.delete(name);
    return parts;
  }

  async setAside(name: string): Promise<string> {
    for (let n = 1; ; n++) {
      const aside = join(this.#directory, `${name}.foreign-${n}`);
      if (await exists(aside)) continue;
      await rename(this.#pathOf(name), aside);
      await this.#disk.syncDirectory(this.#directory);
      return aside;
    }
  }

  async #mark(name: string, owner: Owner): Promise<void> {
    const directory = this.#pathOf(name);
    const found = await readOwner(directory);
    if (found?.folder !== owner.folder || found.table !== name) {
      await replaceFile(join(directory, OWNER), JSON.stringify(owner), this.#disk);
    }
    this.#marked.add(name);
  }

  async #names(): Promise<string[]> {
    try {
      const files = await readdir(this.#directory);
      return files.flatMap((file) => (file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : []));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #pathOf(name: string): string {
    return join(this.#directory, name + SUFFIX);
  }
}

type Content = Omit<StoragePart, "name" | "owner">;

/** Returns the contents that remain after a crash. Opening rolls back later versions. */
async function contentOf(directory: string, logger: Logger): Promise<Content> {
  const synced = await readSyncedVersion(directory, logger).catch(() => undefined);
  const { rowCount = 0, contentId, keptContentId } = synced ?? {};
  try {
    const version = synced?.version ?? (await newestVersion(directory));
    return { version, rowCount, contentId, keptContentId };
  } catch (error) {
    // The table exists but is damaged. Only its tenant is refused, when it is used.
    if (isNoDirectory(error))
      return { version: Number.POSITIVE_INFINITY, rowCount, contentId, keptContentId };
    throw error;
  }
}

function isNoDirectory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOTDIR";
}

/** Returns undefined if the mark is missing or unreadable. It is then created again. */
async function readOwner(directory: string): Promise<Owner | undefined> {
  try {
    const { folder, table } = JSON.parse(await readFile(join(directory, OWNER), "utf8")) as Partial<Owner>;
    return typeof folder === "string" && typeof table === "string" ? { folder, table } : undefined;
  } catch (error) {
    if (isMissing(error) || isNoDirectory(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
