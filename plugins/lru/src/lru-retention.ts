import type { HeldEntry, Retention } from "@membus/plugin-kit";
import { parseScopeId } from "@membus/protocol";
import { type Held, HeldScope, Holder, largestShare, partWithMost, shareOf } from "./holdings.js";
import type { ResolvedLruOptions } from "./lru-options.js";
import { type Quota, quotaBook } from "./quotas.js";

/** What a scope takes besides its partition and its entries, and its session, measured. */
const SCOPE_BYTES = 1_536;
/** What an entry takes besides its body and its slot: its places in the order of use and among the bodies. */
const ENTRY_BYTES = 320;
const QUOTAS = ["entries", "bytes", "namespaces", "sessions"] as const;
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
  readonly #overQuota = new Set<Holder>();
  readonly #max: Held;
  #useCount = 0;
  #quotaEvictedCount = 0;

  constructor(
    readonly options: ResolvedLruOptions,
    readonly quotas = quotaBook(),
  ) {
    this.#max = { entries: options.entriesMax, bytes: options.bytesMax };
  }

  get idleS(): number {
    return this.options.idleS;
  }

  stored({ scope: id, keyHash }: HeldEntry, bodyBytes: number): void {
    const scope = this.#scopes.get(id) ?? this.#begin(id);
    scope.change(() => scope.order.set(keyHash, ENTRY_BYTES + bodyBytes));
    scope.usedAt = ++this.#useCount;
    this.#look(scope);
  }

  touched({ scope: id, keyHash }: HeldEntry): void {
    const scope = this.#scopes.get(id);
    if (scope === undefined) return;
    scope.order.touch(keyHash);
    scope.usedAt = ++this.#useCount;
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
    this.#look(scope);
  }

  overflow(): Iterable<HeldEntry> {
    const isOver = this.#overfull.size > 0 || this.#overQuota.size > 0 || this.#isOverAll(1);
    return isOver ? this.#releaseOverflow() : [];
  }

  stats(): Record<string, number> {
    const { entries, bytes, parts } = this.#all;
    return {
      lru_entries: entries,
      lru_bytes: bytes,
      lru_bytes_max: this.#max.bytes,
      lru_scopes: this.#scopes.size,
      lru_tenants: parts.size,
      lru_evicted_by_quota: this.#quotaEvictedCount,
    };
  }

  *#releaseOverflow(): Iterable<HeldEntry> {
    for (const scope of this.#overfull) while (this.#isOver(scope)) yield this.#release(scope);
    this.#overfull.clear();
    for (const holder of this.#overQuota) {
      for (const entry of this.#releaseQuota(holder)) {
        this.#quotaEvictedCount++;
        yield entry;
      }
    }
    this.#overQuota.clear();
    if (!this.#isOverAll(1)) return;
    const isEnough = () => !this.#isOverAll(NEARLY);
    while (!isEnough()) yield* this.#releaseLargest(this.#all, isEnough);
  }

  /** From whoever is over a quota: of entries and bytes as over the bound of all, sessions and namespaces as a whole. */
  *#releaseQuota(holder: Holder): Iterable<HeldEntry> {
    for (const what of ["entries", "bytes"] as const) {
      const isEnough = () => holder.entries === 0 || !holder.isOverQuota(what, NEARLY);
      if (holder.isOverQuota(what)) while (!isEnough()) yield* this.#releaseLargest(holder, isEnough);
    }
    for (const what of ["namespaces", "sessions"] as const) {
      if (!holder.isOverQuota(what)) continue;
      while (holder.isOverQuota(what, NEARLY)) yield* this.#releaseLeastUsed(holder, what);
    }
  }

  /** Some that were used least recently; of a tenant, those of the agent who has most of them. */
  *#releaseLeastUsed(holder: Holder, what: "namespaces" | "sessions"): Iterable<HeldEntry> {
    const agent = holder.whole === this.#all ? partWithMost(holder, what) : holder;
    const units = what === "sessions" ? [...agent.parts.values()] : [...agent.scopes()];
    const byUse = units.map((unit) => ({ unit, usedAt: unit.usedAt })).sort((a, b) => a.usedAt - b.usedAt);
    for (const { unit } of byUse.slice(0, Math.ceil(units.length * (1 - NEARLY)))) {
      if (!holder.isOverQuota(what, NEARLY)) return;
      for (const scope of unit instanceof HeldScope ? [unit] : [...unit.scopes()]) {
        while (scope.entries > 0) yield this.#release(scope);
      }
    }
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

  /** Notes who is over a bound or a quota now. */
  #look(scope: HeldScope): void {
    if (this.#isOver(scope)) this.#overfull.add(scope);
    // Session, agent, tenant: a session has no quota of its own.
    const agent = scope.whole.whole!;
    for (const holder of [agent, agent.whole!]) {
      if (QUOTAS.some((what) => holder.isOverQuota(what))) this.#overQuota.add(holder);
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
    // Each becomes a part once something is stored.
    const ofTenant = holderIn(this.#all, tenant, () => this.quotas.ofTenant(tenant));
    const ofAgent = holderIn(ofTenant, agent, () => this.quotas.ofAgent(tenant, agent));
    const scope = new HeldScope(id, holderIn(ofAgent, session), SCOPE_BYTES);
    this.#scopes.set(id, scope);
    return scope;
  }
}

function holderIn(whole: Holder, name: string, quota?: () => Quota): Holder {
  return (whole.parts.get(name) as Holder | undefined) ?? new Holder(name, whole, quota?.());
}
