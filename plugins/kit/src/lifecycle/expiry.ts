import type { Clock } from "@membus/protocol";
import type { Journal } from "../journal/index.js";
import { Yielder } from "../yielder.js";
import type { Removals } from "./removals.js";
import type { Resident } from "./residency/resident.js";

/** Rows that expire at a step: a few milliseconds. */
const ROWS_A_STEP = 1_000;
const ROWS_A_RECORD = 10_000;

export interface ExpiryParts {
  readonly clock: Clock;
  readonly removals: Removals;
  /** Whether storage holds the rows too, and has to be told. */
  readonly durable: boolean;
}

/** Takes what has expired out of partitions before they are looked at, and out of storage behind the requests. */
export class Expiry {
  readonly #parts: ExpiryParts;
  /** Expired versions that storage may still hold, by scope id. */
  readonly #stored = new Map<string, number[]>();

  constructor(parts: ExpiryParts) {
    this.#parts = parts;
  }

  /** Takes what has expired out of the partition, so that nothing counts or returns it any more. */
  expireNow(resident: Resident): void {
    this.#expireSome(resident, Number.POSITIVE_INFINITY);
  }

  /** Before a look at a partition: where much has expired, it goes in steps, so that `expireNow` has little left. */
  async expireAhead(resident: Resident): Promise<void> {
    if (resident.expiring === undefined) {
      if (this.#expireSome(resident, ROWS_A_STEP)) return;
      resident.expiring = this.#expireRest(resident).finally(() => {
        resident.expiring = undefined;
      });
    }
    await resident.expiring;
  }

  /** Whether expired rows of the scope are still to be logged as gone: loaded again, they would expire again. */
  holds(scope: string): boolean {
    return this.#stored.has(scope);
  }

  /** Logs that expired rows are gone, so that storage drops them too. Those of a failed attempt wait for the next. */
  async log(journal: Journal): Promise<void> {
    for (const [scope, rowIds] of [...this.#stored]) {
      while (rowIds.length > 0) {
        const removed = rowIds.slice(0, ROWS_A_RECORD);
        await journal.append({
          build: () => ({ at: this.#parts.clock.now(), scope, rows: [], removed }),
          stage: () => {},
          apply: () => rowIds.splice(0, removed.length),
        });
      }
      this.#stored.delete(scope);
    }
  }

  async #expireRest(resident: Resident): Promise<void> {
    const yielder = new Yielder();
    do await yielder.rest();
    while (!resident.hasLeft && !this.#expireSome(resident, ROWS_A_STEP));
  }

  /** Tells whether that was all. */
  #expireSome(resident: Resident, rowsMax: number): boolean {
    const { clock, removals, durable } = this.#parts;
    const expired = resident.partition.expire(clock.now(), rowsMax);
    if (expired.length === 0) return true;
    if (durable) {
      const rowIds = this.#stored.get(resident.id) ?? [];
      for (const { rowId } of expired) rowIds.push(rowId);
      this.#stored.set(resident.id, rowIds);
    }
    for (const removed of expired) removals.report(resident, removed, { action: "expired" });
    return expired.length < rowsMax;
  }
}
