import { type Clock, MemoryError } from "@membus/protocol";
import type { Logger, PluginServices } from "@membus/protocol/plugin";
import { createFolder, type MarkerPlace } from "../place/index.js";

const NAME = "revisions";
/** The mark is written this far ahead of the clock, and again when half of it is used. Seconds. */
const STEP_S = 60;

interface Mark {
  /** Unix seconds, an integer. */
  readonly before: number;
}

/**
 * Persists a time that the revisions of a tier in memory have not reached. The next process starts its
 * revisions there, whatever its clock says. It is written ahead, so that stores wait for the disk only if the
 * clock jumps.
 */
export class RevisionMark {
  /** Highest requested revision. */
  #highest = 0;
  #writing: Promise<void> | undefined;

  private constructor(
    readonly place: MarkerPlace,
    readonly clock: Clock,
    readonly logger: Logger,
    /** Unix seconds. Above all revisions of earlier processes. */
    readonly floor: number,
    /** Value on disk. */
    private before = floor,
  ) {}

  /** Opens the mark of a place. Releases the place if that fails, and when the mark is closed. */
  static async open(
    place: MarkerPlace,
    { clock, logger }: Pick<PluginServices, "clock" | "logger">,
  ): Promise<RevisionMark> {
    try {
      const isValid = ({ before }: Partial<Mark>) => Number.isSafeInteger(before) && before! >= 0;
      const found = await place.markers.read<Mark>(NAME, isValid);
      const mark = new RevisionMark(place, clock, logger, found?.before ?? 0);
      await mark.maintain();
      return mark;
    } catch (error) {
      await place.release();
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

  /** Writes what the next process needs into a new folder. */
  async snapshot(target: string): Promise<void> {
    const markers = await createFolder(target, this.logger);
    await markers.write(NAME, { before: this.before } satisfies Mark);
  }

  /** Lowers the mark to the reached time and releases its place. */
  async close(): Promise<void> {
    try {
      await this.#writing;
      await this.#write(this.#reached());
    } catch (error) {
      this.logger.warn({ err: error }, "could not lower the revision mark, it stays ahead of the clock");
    } finally {
      await this.place.release();
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
      await this.place.markers.write(NAME, { before } satisfies Mark);
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
