import { MemoryError, type MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { StorageSpace } from "../bucket/index.js";

/** Age from which the known space is read again. */
const READ_AFTER_MS = 1_000;
/** Part of a limit that is kept for leases, facts and trimming, and its maximum. */
const RESERVE = { part: 0.1, bytesMax: 1024 ** 3 };

export interface SpaceWatchParts {
  readonly clock: MonotonicClock;
  readonly logger: Logger;
  /** Servers that store each record. */
  readonly replicas: number;
  /** Returns the storage that the logs use. Undefined for one without a limit. */
  read(): Promise<readonly (StorageSpace | undefined)[]>;
}

/**
 * Notices that JetStream has little space left. The logs of a host share it. Servers without space would also refuse leases
 * and facts, and so the flushes that free space.
 */
export class SpaceWatch {
  readonly #parts: SpaceWatchParts;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #spaces: readonly StorageSpace[] = [];
  /** Bytes that this host has written to all servers since the known space was requested. */
  #newBytes = 0;
  #isShort = false;

  constructor(parts: SpaceWatchParts) {
    this.#parts = parts;
  }

  /** Error of a store while less than a tenth of a limit, at most 1 GiB, is left. Requests the space in the background if its age is a second. */
  get shortage(): MemoryError | undefined {
    const { clock } = this.#parts;
    if (!this.#isReading && clock.elapsedMs() - this.#readAtMs >= READ_AFTER_MS) void this.#read();
    const short = this.#spaces.find(
      (space) => space.maxBytes - space.usedBytes - this.#newBytes < reserveOf(space),
    );
    const error = short && shortageError(short);
    this.#report(error);
    return error;
  }

  /** Notes bytes of a message that was written to a log. */
  wrote(bytes: number): void {
    this.#newBytes += bytes * this.#parts.replicas;
  }

  async #read(): Promise<void> {
    const { clock, logger, read } = this.#parts;
    this.#isReading = true;
    this.#readAtMs = clock.elapsedMs();
    const bytesBefore = this.#newBytes;
    try {
      this.#spaces = (await read()).filter((space) => space !== undefined);
      this.#newBytes -= bytesBefore;
    } catch (error) {
      logger.debug({ err: error }, "the space of JetStream is unknown, reading it again");
    }
    this.#isReading = false;
  }

  #report(error: MemoryError | undefined): void {
    const isShort = error !== undefined;
    if (isShort === this.#isShort) return;
    this.#isShort = isShort;
    const { logger } = this.#parts;
    if (isShort) logger.error({}, `stores are refused: ${error.message}`);
    else logger.info({}, "JetStream has space again, stores are accepted");
  }
}

function reserveOf({ maxBytes }: StorageSpace): number {
  return Math.min(maxBytes * RESERVE.part, RESERVE.bytesMax);
}

function shortageError({ owner, usedBytes, maxBytes }: StorageSpace): MemoryError {
  const message =
    `JetStream has little space left for ${owner} (${usedBytes} of ${maxBytes} bytes are in use). ` +
    "Raise the limit, or wait until rows are written to the tables";
  return new MemoryError("memory_full", message, { limit: "disk" });
}
