import type { MemoryError } from "@membus/protocol";
import type { EntryUsage, TenantUsage, UsageChange } from "./tenant-usage.js";

/**
 * Storage quota reserved for the entries of one running store, so that concurrent stores cannot use it too.
 */
export class UsageReservation {
  readonly #reserved = new Map<string, UsageChange & { readonly next: EntryUsage }>();

  constructor(readonly usage: TenantUsage) {}

  /** Reserves quota for an entry, or returns the error if the quota is exceeded. */
  reserve(keyHash: string, change: UsageChange & { readonly next: EntryUsage }): MemoryError | undefined {
    const refusal = this.usage.refusal(change);
    if (refusal !== undefined) return refusal;
    this.usage.change(change);
    this.#reserved.set(keyHash, change);
    return undefined;
  }

  /** Releases the reservation of an entry that is now stored and counted. */
  release(keyHash: string): void {
    const change = this.#reserved.get(keyHash);
    if (change === undefined) return;
    this.#reserved.delete(keyHash);
    this.usage.change({ scope: change.scope, former: change.next, next: change.former });
  }

  /** Releases the reservations of all entries that were not stored. */
  releaseAll(): void {
    for (const keyHash of [...this.#reserved.keys()]) this.release(keyHash);
  }
}
