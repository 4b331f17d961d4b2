import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createDirectory, isMissingFile, readText, replaceFile } from "@membus/disk";

/** Time of the write in Unix milliseconds, its bytes, and its id. The name alone gives order and size. */
const WRITE_NAME = /^(\d{15})-(\d{1,12})-([0-9a-f-]{36})\.json$/;
/** The end of the name of a file that is not complete. */
const DRAFT_SUFFIX = ".new";

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
    await createDirectory(this.path);
    const path = join(this.path, file.name);
    try {
      await replaceFile(path, text);
    } catch (error) {
      await rm(path + DRAFT_SUFFIX, { force: true });
      throw error;
    }
    return file;
  }

  /** Returns the text of a file, or undefined if another process has removed it. */
  read(name: string): Promise<string | undefined> {
    return readText(join(this.path, name));
  }

  /** Removes a file. Returns false if another process has removed it. */
  async remove(name: string): Promise<boolean> {
    try {
      await rm(join(this.path, name));
      return true;
    } catch (error) {
      if (isMissingFile(error)) return false;
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
    if (isMissingFile(error)) return [];
    throw error;
  }
}
