import { join } from "node:path";
import { linkTree, replaceFile } from "@membus/disk";
import { type Clock, type Logger, MemoryError, type PluginServices } from "@membus/protocol";
import { readMarkerFile } from "./marker-file.js";
import { type OwnDirectory, ownDirectory } from "./own-directory.js";

const FILE = "revisions";
/** So far ahead of the clock it is written, and again when half of that is used up. */
const STEP_S = 60;

interface MarkFile {
  /** Unix seconds, whole. */
  readonly before: number;
}

/**
 * What a tier in memory keeps on disk: a time that its revisions have not reached. The next process begins there, wherever
 * its clock stands. It is written ahead, so that stores wait for the disk only where the clock jumps.
 */
export class RevisionMark {
  readonly #path: string;
  /** The highest revision that was asked for. */
  #highest = 0;
  #writing: Promise<void> | undefined;

  private constructor(
    readonly directory: OwnDirectory,
    readonly clock: Clock,
    readonly logger: Logger,
    /** Unix seconds: above all revisions of the processes before. */
    readonly floor: number,
    /** As on disk. */
    private before = floor,
  ) {
    this.#path = join(directory.path, FILE);
  }

  /** Undefined without a directory: then nothing holds revisions but the clock. Else as `ownDirectory`. */
  static async open(services: PluginServices): Promise<RevisionMark | undefined> {
    if (services.dataDirectory === undefined) return undefined;
    const { clock, logger } = services;
    const directory = await ownDirectory(services);
    try {
      const isWhole = ({ before }: Partial<MarkFile>) => Number.isSafeInteger(before) && before! >= 0;
      const found = await readMarkerFile<MarkFile>(join(directory.path, FILE), logger, isWhole);
      const mark = new RevisionMark(directory, clock, logger, found?.before ?? 0);
      await mark.maintain();
      return mark;
    } catch (error) {
      await directory.release();
      throw error;
    }
  }

  /**
   * Undefined where revisions up to this one may be given out now; else wait, and ask again.
   * @throws {MemoryError} `unavailable` where the mark cannot be written.
   */
  cover(revision: number): Promise<void> | undefined {
    this.#highest = Math.max(this.#highest, revision);
    return revision < this.before * 1e6 ? undefined : this.#renew();
  }

  /** Writes it anew before it is used up. */
  async maintain(): Promise<void> {
    if (this.clock.now() + STEP_S / 2 > this.before) await this.#renew();
  }

  /** Puts what the next process needs into a folder. */
  async snapshot(target: string): Promise<void> {
    await linkTree(this.directory.path, target, (name) => name === FILE || name === "format");
  }

  /** Takes back what it is ahead. */
  async close(): Promise<void> {
    try {
      await this.#writing;
      await this.#write(this.#reached());
    } catch (error) {
      this.logger.warn({ err: error }, "the mark of revisions stays ahead of the clock");
    } finally {
      await this.directory.release();
    }
  }

  /** Whole seconds that are above the clock and every revision. */
  #reached(): number {
    return Math.max(this.floor, Math.floor(Math.max(this.clock.now(), this.#highest / 1e6)) + 1);
  }

  /** Once at a time. */
  #renew(): Promise<void> {
    const before = Math.max(Math.ceil(this.clock.now()) + STEP_S, this.#reached());
    this.#writing ??= this.#write(before).finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(before: number): Promise<void> {
    try {
      await replaceFile(this.#path, `${JSON.stringify({ before } satisfies MarkFile)}\n`);
    } catch (cause) {
      // Agents read it: no path.
      const message = "what keeps revisions growing over a restart cannot be written: tell the operator";
      throw new MemoryError(
        "unavailable",
        message,
        { reason: String((cause as Error & { code?: unknown }).code) },
        { cause },
      );
    }
    this.before = before;
  }
}
