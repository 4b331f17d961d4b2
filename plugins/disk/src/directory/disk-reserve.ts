import { randomBytes } from "node:crypto";
import { open, rm, stat, statfs, truncate } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull } from "./disk-full.js";
import { isMissingFile } from "./durable-files.js";

const FILE = "reserve";
const BLOCK_BYTES = 1024 * 1024;
/** What is left of it for the next start. */
const START_BYTES = BLOCK_BYTES;

/**
 * A file of no use but its size: on a full disk it makes room for what frees more. One that was released is made again
 * once there is room for it.
 */
export class DiskReserve {
  readonly #directory: string;
  readonly #path: string;
  readonly #wantedBytes: number;
  #sizeBytes: number;
  #isReleased: boolean;

  private constructor(directory: string, wantedBytes: number, sizeBytes: number | undefined) {
    this.#directory = directory;
    this.#path = join(directory, FILE);
    this.#wantedBytes = wantedBytes;
    this.#sizeBytes = sizeBytes ?? 0;
    this.#isReleased = sizeBytes !== undefined && sizeBytes < wantedBytes;
  }

  /** `wantedBytes` of 0: there is none. */
  static async find(directory: string, wantedBytes: number): Promise<DiskReserve> {
    return new DiskReserve(directory, wantedBytes, await sizeOf(join(directory, FILE)));
  }

  /** It is in use, so what needs room must wait. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  get stats(): { readonly disk_full: number } {
    return { disk_full: this.#isReleased ? 1 : 0 };
  }

  /** Makes room, but for what a start needs. @returns whether there is any. */
  release(): Promise<boolean> {
    return this.#cutTo(START_BYTES);
  }

  /** Makes all the room there is. */
  releaseAll(): Promise<boolean> {
    return this.#cutTo(0);
  }

  /** Makes the file whole again where there is room for it. */
  async restore(): Promise<void> {
    const missingBytes = this.#wantedBytes - this.#sizeBytes;
    if (missingBytes <= 0) return this.#trim();
    const { bavail, bsize } = await statfs(this.#directory);
    // A little more than it takes: it must not be what fills the disk.
    this.#isReleased = bavail * bsize < missingBytes + missingBytes / 4;
    if (this.#isReleased) return;
    try {
      await this.#fill();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#isReleased = true;
    }
  }

  async #trim(): Promise<void> {
    this.#isReleased = false;
    if (this.#sizeBytes > this.#wantedBytes) await this.#cut(this.#wantedBytes);
  }

  async #cutTo(sizeBytes: number): Promise<boolean> {
    if (this.#sizeBytes <= sizeBytes) return false;
    this.#isReleased = true;
    await this.#cut(sizeBytes);
    return true;
  }

  async #cut(sizeBytes: number): Promise<void> {
    if (sizeBytes === 0) await rm(this.#path, { force: true });
    else await truncate(this.#path, sizeBytes);
    this.#sizeBytes = sizeBytes;
  }

  async #fill(): Promise<void> {
    const block = noise();
    const file = await open(this.#path, "a", 0o600);
    try {
      while (this.#sizeBytes < this.#wantedBytes) {
        const { bytesWritten } = await file.write(
          block,
          0,
          Math.min(BLOCK_BYTES, this.#wantedBytes - this.#sizeBytes),
        );
        this.#sizeBytes += bytesWritten;
      }
    } finally {
      await file.close();
    }
  }
}

/** Bytes that no file system stores in much less room; none is ASCII, so a search for what was erased finds none of it here. */
function noise(): Buffer {
  return randomBytes(BLOCK_BYTES).map((byte) => byte | 0x80) as Buffer;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
