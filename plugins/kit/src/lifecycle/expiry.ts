import type { Clock } from "@membus/protocol";
import type { Journal } from "../journal/index.js";
import { Yielder } from "../yielder.js";
import type { Removals } from "./removals.js";
import type { LoadedPartition } from "./residency/loaded-partition.js";

/** Rows that expire per step, which takes a few milliseconds. */
const ROWS_PER_STEP = 1_000;
const ROWS_PER_RECORD = 10_000;

export interface ExpiryParts {
  readonly clock: Clock;
  readonly removals: Removals;
  /** Whether storage also has the rows and must remove them. */
  readonly durable: boolean;
}

/** Removes expired rows from partitions before they are read, and from storage in the background. */
export class Expiry {
  readonly #parts: ExpiryParts;
  /** Expired versions that storage may still have, by scope id. */
  readonly #stored = new Map<string, number[]>();

  constructor(parts: ExpiryParts) {
    this.#parts = parts;
  }

  /** Removes all expired rows from the partition, so that they are neither counted nor returned. */
  expireNow(loaded: LoadedPartition): void {
    this.#expireSome(loaded, Number.POSITIVE_INFINITY);
  }

  /** Removes expired rows in steps before a partition is read, so that `expireNow` has little left to do. */
  async expireInSteps(loaded: LoadedPartition): Promise<void> {
    if (loaded.expiring === undefined) {
      if (this.#expireSome(loaded, ROWS_PER_STEP)) return;
      loaded.expiring = this.#expireRest(loaded).finally(() => {
        loaded.expiring = undefined;
      });
    }
    await loaded.expiring;
  }

  /**
   * Whether removals of expired rows of the scope are not logged yet. If the scope was loaded again, they
   * would expire again.
   */
  hasUnloggedRemovals(scope: string): boolean {
    return this.#stored.has(scope);
  }

  /**
   * Logs removals of expired rows, so that storage removes them too. A failed attempt is repeated by the next
   * call.
   */
  async log(journal: Journal): Promise<void> {
    for (const [scope, rowIds] of [...this.#stored]) {
      while (rowIds.length > 0) {
        const removed = rowIds.slice(0, ROWS_PER_RECORD);
        await journal.append({
          build: () => ({ at: this.#parts.clock.now(), scope, rows: [], removed }),
          stage: () => {},
          apply: () => rowIds.splice(0, removed.length),
        });
      }
      this.#stored.delete(scope);
    }
  }

  async #expireRest(loaded: LoadedPartition): Promise<void> {
    const yielder = new Yielder();
    do await yielder.yieldIfDue();
    while (!loaded.isUnloaded && !this.#expireSome(loaded, ROWS_PER_STEP));
  }

  /** Expires up to `rowsMax` rows and returns whether none is left. */
  #expireSome(loaded: LoadedPartition, rowsMax: number): boolean {
    const { clock, removals, durable } = this.#parts;
    const expired = loaded.partition.expire(clock.now(), rowsMax);
    if (expired.length === 0) return true;
    if (durable) {
      const rowIds = this.#stored.get(loaded.id) ?? [];
      for (const { rowId } of expired) rowIds.push(rowId);
      this.#stored.set(loaded.id, rowIds);
    }
    for (const removed of expired) removals.report(loaded, removed, { action: "expired" });
    return expired.length < rowsMax;
  }
}
