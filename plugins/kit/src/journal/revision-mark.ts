import { join } from "node:path";
import { linkTree, replaceFile } from "@membus/disk";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Logger, PluginServices } from "@membus/protocol/plugin";
import { type LockedDirectory, lockTierDirectory } from "./locked-directory.js";
import { readMarkerFile } from "./marker-file.js";

const FILE = "revisions";
/** The mark is written this far ahead of the clock, and again when half of it is used. Seconds. */
const STEP_S = 60;

interface MarkFile {
  /** Unix seconds, an integer. */
  readonly before: number;
}

/**
 * Persists a time that the revisions of a tier in memory have not reached. The next process starts its
 * revisions there, whatever its clock says. It is written ahead, so that stores wait for the disk only if the
 * clock jumps.
 */
export class RevisionMark {
  readonly #path: string;
  /** Highest requested revision. */
  #highest = 0;
  #writing: Promise<void> | undefined;

  private constructor(
    readonly directory: LockedDirectory,
    readonly clock: Clock,
    readonly logger: Logger,
    /** Unix seconds. Above all revisions of earlier processes. */
    readonly floor: number,
    /** Value on disk. */
    private before = floor,
  ) {
    this.#path = join(directory.path, FILE);
  }

  /**
   * Opens the mark. Returns undefined without a directory: revisions then depend only on the clock. Errors as
   * in `lockTierDirectory`.
   */
  static async open(services: PluginServices): Promise<RevisionMark | undefined> {
    if (services.dataDirectory === undefined) return undefined;
    const { clock, logger } = services;
    const directory = await lockTierDirectory(services);
    try {
      const isValid = ({ before }: Partial<MarkFile>) => Number.isSafeInteger(before) && before! >= 0;
      const found = await readMarkerFile<MarkFile>(join(directory.path, FILE), logger, isValid);
      const mark = new RevisionMark(directory, clock, logger, found?.before ?? 0);
      await mark.maintain();
      return mark;
    } catch (error) {
      await directory.release();
      throw error;
    }
  }

  /**
   * Returns undefined if revisions up to this one may be used now. Otherwise returns a promise, after which
   * to call it again.
   * @throws {MemoryError} `unavailable` if the mark cannot be written.
   */
  reserveUpTo(revision: number): Promise<void> | undefined {
    this.#highest = Math.max(this.#highest, revision);
    return revision < this.before * 1e6 ? undefined : this.#renew();
  }

  /** Renews the mark before it is reached. */
  async maintain(): Promise<void> {
    if (this.clock.now() + STEP_S / 2 > this.before) await this.#renew();
  }

  /** Writes the files that the next process needs into a folder. */
  async snapshot(target: string): Promise<void> {
    await linkTree(this.directory.path, target, (name) => name === FILE || name === "format");
  }

  /** Lowers the mark to the reached time and unlocks the folder. */
  async close(): Promise<void> {
    try {
      await this.#writing;
      await this.#write(this.#reached());
    } catch (error) {
      this.logger.warn({ err: error }, "could not lower the revision mark, it stays ahead of the clock");
    } finally {
      await this.directory.release();
    }
  }

  /** Returns whole seconds above the clock and every revision. */
  #reached(): number {
    return Math.max(this.floor, Math.floor(Math.max(this.clock.now(), this.#highest / 1e6)) + 1);
  }

  /** Renews the mark, one write at a time. */
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
      // Agents read this message, so it contains no path.
      const message = "the revision mark cannot be written: report this to the operator";
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
