import type { MemoryError } from "@membus/protocol";
import type { Holding, HoldingChange, TenantHoldings } from "./tenant-holdings.js";

/** The room that the entries of one store have taken before they are there: others that are under way do not get it too. */
export class Claims {
  readonly #open = new Map<string, HoldingChange & { readonly next: Holding }>();

  constructor(readonly holdings: TenantHoldings) {}

  /** Takes the room for an entry, or tells why there is none. */
  take(keyHash: string, change: HoldingChange & { readonly next: Holding }): MemoryError | undefined {
    const refusal = this.holdings.refusal(change);
    if (refusal !== undefined) return refusal;
    this.holdings.change(change);
    this.#open.set(keyHash, change);
    return undefined;
  }

  /** Of an entry that is there now, and counted as such. */
  release(keyHash: string): void {
    const change = this.#open.get(keyHash);
    if (change === undefined) return;
    this.#open.delete(keyHash);
    this.holdings.change({ scope: change.scope, former: change.next, next: change.former });
  }

  /** Of all that did not get there. */
  releaseAll(): void {
    for (const keyHash of [...this.#open.keys()]) this.release(keyHash);
  }
}
