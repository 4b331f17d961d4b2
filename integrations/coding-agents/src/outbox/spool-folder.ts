import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMissing } from "../missing-file.js";

/** Access modes that let only the owner read memories. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/** Time of the write in Unix milliseconds, its bytes, and its id. The name alone gives order and size. */
const WRITE_NAME = /^(\d{15})-(\d{1,12})-([0-9a-f-]{36})\.json$/;
const DRAFT_SUFFIX = ".tmp";

/** File of a write. */
export interface SpooledFile {
  readonly name: string;
  readonly id: string;
  /** Unix seconds of the write. */
  readonly time: number;
  readonly bytes: number;
}

export interface FolderContents {
  /** Oldest first. */
  readonly files: readonly SpooledFile[];
  /** Names of files that are neither writes nor drafts. */
  readonly foreign: readonly string[];
  /** Names of unfinished writes. */
  readonly drafts: readonly string[];
}

/** A folder with one file per write. A file is complete as soon as it has its name. */
export class SpoolFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns what the folder contains. Empty if it does not exist. */
  async list(): Promise<FolderContents> {
    const names = (await namesIn(this.path)).sort();
    const files = names.flatMap((name) => parseName(name) ?? []);
    const drafts = names.filter((name) => name.endsWith(DRAFT_SUFFIX));
    const foreign = names.filter((name) => !name.endsWith(DRAFT_SUFFIX) && parseName(name) === undefined);
    return { files, foreign, drafts };
  }

  /** Writes a file that survives power loss when this resolves. */
  async write(id: string, time: number, text: string): Promise<SpooledFile> {
    const file = {
      name: nameOf(id, time, Buffer.byteLength(text)),
      id,
      time,
      bytes: Buffer.byteLength(text),
    };
    await this.#create();
    const draft = join(this.path, `${file.name}${DRAFT_SUFFIX}`);
    try {
      await writeSynced(draft, text);
      await rename(draft, join(this.path, file.name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(this.path);
    return file;
  }

  /** Returns the text of a file, or undefined if another process has removed it. */
  async read(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.path, name), "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Removes a file. Returns false if another process has removed it. */
  async remove(name: string): Promise<boolean> {
    try {
      await rm(join(this.path, name));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Removes drafts that are older than a time in Unix seconds. Their process ended before it reported success. */
  async removeDrafts(drafts: readonly string[], before: number): Promise<void> {
    for (const name of drafts) {
      const changed = await stat(join(this.path, name)).catch(() => undefined);
      if (changed !== undefined && changed.mtimeMs < before * 1_000) await this.remove(name);
    }
  }

  async #create(): Promise<void> {
    const created = await mkdir(this.path, { recursive: true, mode: OWNER_ONLY.folder });
    if (created !== undefined) await syncFolder(dirname(created));
  }
}

function nameOf(id: string, time: number, bytes: number): string {
  return `${String(Math.floor(time * 1_000)).padStart(15, "0")}-${bytes}-${id}.json`;
}

function parseName(name: string): SpooledFile | undefined {
  const [, time, bytes, id] = WRITE_NAME.exec(name) ?? [];
  if (time === undefined || bytes === undefined || id === undefined) return undefined;
  return { name, id, time: Number(time) / 1_000, bytes: Number(bytes) };
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", OWNER_ONLY.file);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names in a folder durable. Windows cannot open folders, and its file system journals names. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
