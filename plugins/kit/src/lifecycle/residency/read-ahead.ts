import { SerialQueue } from "@membus/disk";
import type { SlotColumns } from "../../search/index.js";
import { BODY_OVERHEAD_BYTES, type BodyCache } from "./body-cache.js";
import type { Resident } from "./resident.js";

/** The read from storage behind which the rest is read: a partition that is asked once may not be asked again. */
const READ_TO_FOLLOW = 2;
/** What one partition may take of the cache by that: with the default's 128 MiB, about 10,000 entries of 300 characters. */
const CACHE_PART = 1 / 32;
const ROWS_A_STEP = 1_000;
/** Partitions that wait for it; bodies of more are read as they are asked for. */
const WAITING_MAX = 32;

/**
 * Reads of bodies from storage are most of the time that a query takes. All bodies of a small partition are read behind
 * the requests, one partition after the other, so that the next query finds them in RAM: of the first 100 queries after
 * a start, half take up to 2.0 ms over 2,000 entries and 3.8 over 10,000; without this 4.5 and 8.2.
 */
export class ReadAhead {
  readonly #bodies: BodyCache;
  readonly #queue = new SerialQueue();
  #waitingCount = 0;
  #closed = false;

  constructor(bodies: BodyCache) {
    this.#bodies = bodies;
  }

  /** Tells that bodies of a partition had to be read from storage. */
  noticeRead(resident: Resident): void {
    resident.bodyReads++;
    if (resident.bodyReads !== READ_TO_FOLLOW || this.#waitingCount === WAITING_MAX) return;
    if (bytesOf(resident.partition.columns) > this.#bodies.bytesMax * CACHE_PART) return;
    this.#waitingCount++;
    // Whoever asks for a body that cannot be read is told why.
    const reading = this.#queue.run(() => this.#readAll(resident)).catch(() => undefined);
    void reading.then(() => this.#waitingCount--);
  }

  /** Waits for the step under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.run(async () => undefined);
  }

  /** Rows are looked up just before they are read: what went away must not come back into the cache. */
  async #readAll(resident: Resident): Promise<void> {
    for (let from = 0; from < resident.partition.columns.count; from += ROWS_A_STEP) {
      if (this.#closed || resident.hasLeft) return;
      await this.#bodies.get(resident.id, liveRowIds(resident.partition.columns, from, from + ROWS_A_STEP));
    }
  }
}

function bytesOf({ alive, bodyBytes, count }: SlotColumns): number {
  let bytes = 0;
  for (let slot = 0; slot < count; slot++) bytes += alive[slot]! * (bodyBytes[slot]! + BODY_OVERHEAD_BYTES);
  return bytes;
}

function liveRowIds({ alive, count, numbers }: SlotColumns, from: number, end: number): number[] {
  const live: number[] = [];
  for (let slot = from; slot < Math.min(end, count); slot++)
    if (alive[slot] === 1) live.push(numbers.rowId[slot]!);
  return live;
}
