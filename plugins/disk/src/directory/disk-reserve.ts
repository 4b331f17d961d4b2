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

  private constructor(directory: string, wantedBytes: number, sizeBytes: number) {
    this.#directory = directory;
    this.#path = join(directory, FILE);
    this.#wantedBytes = wantedBytes;
    this.#sizeBytes = sizeBytes;
    this.#isReleased = false;
  }

  /** `wantedBytes` of 0: there is none. */
  static async find(directory: string, wantedBytes: number): Promise<DiskReserve> {
    const sizeBytes = await sizeOf(join(directory, FILE));
    const reserve = new DiskReserve(directory, wantedBytes, sizeBytes ?? 0);
    // One that is not whole was released, unless a kill cut its making short: there is room for it then.
    if (sizeBytes !== undefined) reserve.#isReleased = !(await reserve.#hasRoom());
    return reserve;
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
    if (this.#sizeBytes > this.#wantedBytes) await this.#cut(this.#wantedBytes);
    this.#isReleased = !(await this.#hasRoom());
    if (this.#isReleased || this.#sizeBytes === this.#wantedBytes) return;
    try {
      await this.#fill();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#isReleased = true;
    }
  }

  /** For what is missing of it, and a little more: it must not be what fills the disk. */
  async #hasRoom(): Promise<boolean> {
    const missingBytes = this.#wantedBytes - this.#sizeBytes;
    if (missingBytes <= 0) return true;
    const { bavail, bsize } = await statfs(this.#directory);
    return bavail * bsize >= missingBytes + missingBytes / 4;
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
