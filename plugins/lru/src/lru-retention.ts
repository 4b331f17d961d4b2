import type { HeldEntry, Retention } from "@membus/plugin-kit";
import { parseScopeId } from "@membus/protocol";
import { type Held, HeldScope, Holder, largestShare, shareOf } from "./holdings.js";
import type { ResolvedLruOptions } from "./lru-options.js";

/** What a scope takes besides its partition and its entries, and its session, measured. */
const SCOPE_BYTES = 1_536;
/** What an entry takes besides its body and its slot: its places in the order of use and among the bodies. */
const ENTRY_BYTES = 320;
/** Over a bound of all a hundredth more goes than need be, and parts of nearly the largest share go with it. */
const NEARLY = 0.99;

/**
 * Least recently used first, within each scope. Over the bound of all scopes the tenant with the largest share gives
 * way, in it the agent with the largest, and so on: who takes less than an equal share keeps what he has, whatever
 * others store.
 */
export class LruRetention implements Retention {
  readonly #all = new Holder("", undefined);
  readonly #scopes = new Map<string, HeldScope>();
  readonly #overfull = new Set<HeldScope>();
  readonly #max: Held;

  constructor(readonly options: ResolvedLruOptions) {
    this.#max = { entries: options.entriesMax, bytes: options.bytesMax };
  }

  get idleS(): number {
    return this.options.idleS;
  }

  stored({ scope: id, keyHash }: HeldEntry, bodyBytes: number): void {
    const scope = this.#scopes.get(id) ?? this.#begin(id);
    scope.change(() => scope.order.set(keyHash, ENTRY_BYTES + bodyBytes));
    if (this.#isOver(scope)) this.#overfull.add(scope);
  }

  touched({ scope, keyHash }: HeldEntry): void {
    this.#scopes.get(scope)?.order.touch(keyHash);
  }

  removed({ scope: id, keyHash }: HeldEntry): void {
    const scope = this.#scopes.get(id);
    if (scope !== undefined && scope.order.sizeOf(keyHash) !== undefined) this.#remove(scope, keyHash);
  }

  measured(id: string, partitionBytes: number): void {
    const scope = this.#scopes.get(id);
    if (scope === undefined || scope.partitionBytes === partitionBytes) return;
    scope.change(() => {
      scope.partitionBytes = partitionBytes;
    });
    if (this.#isOver(scope)) this.#overfull.add(scope);
  }

  overflow(): Iterable<HeldEntry> {
    return this.#overfull.size > 0 || this.#isOverAll(1) ? this.#releaseOverflow() : [];
  }

  stats(): Record<string, number> {
    const { entries, bytes, parts } = this.#all;
    return {
      lru_entries: entries,
      lru_bytes: bytes,
      lru_bytes_max: this.#max.bytes,
      lru_scopes: this.#scopes.size,
      lru_tenants: parts.size,
    };
  }

  *#releaseOverflow(): Iterable<HeldEntry> {
    for (const scope of this.#overfull) while (this.#isOver(scope)) yield this.#release(scope);
    this.#overfull.clear();
    if (!this.#isOverAll(1)) return;
    const isEnough = () => !this.#isOverAll(NEARLY);
    while (!isEnough()) yield* this.#releaseLargest(this.#all, isEnough);
  }

  /** From the parts that take nearly as much as the largest, until it is enough. */
  *#releaseLargest(holder: Holder, isEnough: () => boolean): Iterable<HeldEntry> {
    const floor = NEARLY * largestShare(holder, this.#max);
    for (const part of holder.parts.values()) {
      const isDone = () => isEnough() || part.entries === 0 || shareOf(part, this.#max) <= floor;
      while (!isDone()) {
        if (part instanceof HeldScope) yield this.#release(part);
        else yield* this.#releaseLargest(part, isDone);
      }
    }
  }

  #isOver({ entries, bytes }: HeldScope): boolean {
    return entries > this.options.scopeEntriesMax || bytes > this.options.scopeBytesMax;
  }

  #isOverAll(share: number): boolean {
    const { entries, bytes } = this.#max;
    return this.#all.entries > Math.ceil(entries * share) || this.#all.bytes > bytes * share;
  }

  #release(scope: HeldScope): HeldEntry {
    const entry = { scope: scope.name, keyHash: scope.order.oldest! };
    this.#remove(scope, entry.keyHash);
    return entry;
  }

  /** Its share of the partition goes with it, until that is measured again. */
  #remove(scope: HeldScope, keyHash: string): void {
    scope.change(() => {
      scope.partitionBytes = Math.floor(scope.partitionBytes * (1 - 1 / scope.entries));
      scope.order.delete(keyHash);
    });
    if (scope.entries === 0) this.#scopes.delete(scope.name);
  }

  #begin(id: string): HeldScope {
    const { tenant, agent = "", session = "" } = parseScopeId(id);
    let holder = this.#all;
    for (const name of [tenant, agent, session]) {
      // It becomes a part once something is stored.
      holder = (holder.parts.get(name) as Holder | undefined) ?? new Holder(name, holder);
    }
    const scope = new HeldScope(id, holder, SCOPE_BYTES);
    this.#scopes.set(id, scope);
    return scope;
  }
}
