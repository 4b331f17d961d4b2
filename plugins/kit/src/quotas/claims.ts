import type { MemoryError } from "@membus/protocol";
import type { Holding, HoldingChange, TenantHoldings } from "./tenant-holdings.js";

/**
 * Storage quota reserved for the entries of one running store, so that concurrent stores cannot use it too.
 */
export class Claims {
  readonly #open = new Map<string, HoldingChange & { readonly next: Holding }>();

  constructor(readonly holdings: TenantHoldings) {}

  /** Reserves quota for an entry, or returns the error if the quota is exceeded. */
  take(keyHash: string, change: HoldingChange & { readonly next: Holding }): MemoryError | undefined {
    const refusal = this.holdings.refusal(change);
    if (refusal !== undefined) return refusal;
    this.holdings.change(change);
    this.#open.set(keyHash, change);
    return undefined;
  }

  /** Releases the reservation of an entry that is now stored and counted. */
  release(keyHash: string): void {
    const change = this.#open.get(keyHash);
    if (change === undefined) return;
    this.#open.delete(keyHash);
    this.holdings.change({ scope: change.scope, former: change.next, next: change.former });
  }

  /** Releases the reservations of all entries that were not stored. */
  releaseAll(): void {
    for (const keyHash of [...this.#open.keys()]) this.release(keyHash);
  }
}
