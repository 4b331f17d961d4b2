import { randomBytes } from "node:crypto";
import { open, rm, stat, statfs, truncate } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull } from "./disk-full.js";
import { isMissingFile } from "./durable-files.js";

/** Name of the file. It has no contents, only a size. */
export const RESERVE_FILE = "reserve";
const BLOCK_BYTES = 1024 * 1024;
/** Bytes of the reserve that are kept for the next start. */
const START_BYTES = BLOCK_BYTES;

/**
 * Reserves disk space with a file. On a full disk the space is released for operations that free more space.
 * A released reserve is recreated once there is enough space.
 */
export class DiskReserve {
  readonly #directory: string;
  readonly #path: string;
  readonly #targetBytes: number;
  #sizeBytes: number;
  #isReleased: boolean;

  private constructor(directory: string, targetBytes: number, sizeBytes: number) {
    this.#directory = directory;
    this.#path = join(directory, RESERVE_FILE);
    this.#targetBytes = targetBytes;
    this.#sizeBytes = sizeBytes;
    this.#isReleased = false;
  }

  /** Opens the reserve of a directory. `targetBytes` of 0 disables it. */
  static async find(directory: string, targetBytes: number): Promise<DiskReserve> {
    const sizeBytes = await sizeOf(join(directory, RESERVE_FILE));
    const reserve = new DiskReserve(directory, targetBytes, sizeBytes ?? 0);
    // An incomplete reserve was released, unless its creation was interrupted. In that case there is enough
    // space.
    if (sizeBytes !== undefined) reserve.#isReleased = !(await reserve.#hasSpace());
    return reserve;
  }

  /** Whether the reserve is in use, so that writes must wait. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  get stats(): { readonly disk_full: number } {
    return { disk_full: this.#isReleased ? 1 : 0 };
  }

  /** Frees the reserve except for the part that a start needs. @returns whether space was freed. */
  release(): Promise<boolean> {
    return this.#cutTo(START_BYTES);
  }

  /** Frees the whole reserve. @returns whether space was freed. */
  releaseAll(): Promise<boolean> {
    return this.#cutTo(0);
  }

  /** Recreates the reserve if there is enough space. */
  async restore(): Promise<void> {
    if (this.#sizeBytes > this.#targetBytes) await this.#cut(this.#targetBytes);
    this.#isReleased = !(await this.#hasSpace());
    if (this.#isReleased || this.#sizeBytes === this.#targetBytes) return;
    try {
      await this.#fill();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#isReleased = true;
    }
  }

  /**
   * Returns whether there is space for the missing part and some margin, so that the reserve itself does not
   * fill the disk.
   */
  async #hasSpace(): Promise<boolean> {
    const missingBytes = this.#targetBytes - this.#sizeBytes;
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
    const block = incompressibleBytes();
    const file = await open(this.#path, "a", 0o600);
    try {
      while (this.#sizeBytes < this.#targetBytes) {
        const { bytesWritten } = await file.write(
          block,
          0,
          Math.min(BLOCK_BYTES, this.#targetBytes - this.#sizeBytes),
        );
        this.#sizeBytes += bytesWritten;
      }
    } finally {
      await file.close();
    }
  }
}

/** Returns incompressible bytes. None is ASCII, so a search for erased text never matches here. */
function incompressibleBytes(): Buffer {
  return randomBytes(BLOCK_BYTES).map((byte) => byte | 0x80) as Buffer;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    // Opening the folder reports a file in its place.
    if (isMissingFile(error) || (error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}
