import type { RetainedEntry, Retention } from "@membus/plugin-kit";
import { parseScopeId } from "@membus/protocol";
import type { ResolvedLruOptions } from "./lru-options.js";
import { type Quota, quotaTable } from "./quotas.js";
import { agentWithMost, largestShare, ScopeUsage, shareOf, type Usage, UsageNode } from "./usage.js";

/** Measured bytes of a scope and its session, without its partition and entries. */
const SCOPE_BYTES = 1_536;
/** Bytes of an entry without its body and slot: its places in the order of use and among the bodies. */
const ENTRY_BYTES = 320;
const QUOTAS = ["entries", "bytes", "namespaces", "sessions"] as const;
/**
 * When a limit is exceeded, one percent more than necessary is evicted, from all parts with a share within
 * one percent of the largest.
 */
const EVICTION_TARGET = 0.99;

/**
 * Evicts least recently used entries within each scope. When the limit of all scopes is exceeded, the tenant
 * with the largest share loses entries. Within it the agent with the largest share loses them, and so on. An agent below
 * an equal share keeps its entries, whatever other agents store.
 */
export class LruRetention implements Retention {
  readonly #all = new UsageNode("", undefined);
  readonly #scopes = new Map<string, ScopeUsage>();
  readonly #overfull = new Set<ScopeUsage>();
  readonly #overQuota = new Set<UsageNode>();
  readonly #max: Usage;
  #useCount = 0;
  #quotaEvictedCount = 0;

  constructor(
    readonly options: ResolvedLruOptions,
    readonly quotas = quotaTable(),
  ) {
    this.#max = { entries: options.entriesMax, bytes: options.bytesMax };
  }

  get idleS(): number {
    return this.options.idleS;
  }

  stored({ scope: id, keyHash }: RetainedEntry, bodyBytes: number): void {
    const scope = this.#scopes.get(id) ?? this.#addScope(id);
    scope.change(() => scope.order.set(keyHash, ENTRY_BYTES + bodyBytes));
    scope.usedAt = ++this.#useCount;
    this.#recordExcess(scope);
  }

  touched({ scope: id, keyHash }: RetainedEntry): void {
    const scope = this.#scopes.get(id);
    if (scope === undefined) return;
    scope.order.touch(keyHash);
    scope.usedAt = ++this.#useCount;
  }

  removed({ scope: id, keyHash }: RetainedEntry): void {
    const scope = this.#scopes.get(id);
    if (scope !== undefined && scope.order.sizeOf(keyHash) !== undefined) this.#remove(scope, keyHash);
  }

  measured(id: string, partitionBytes: number): void {
    const scope = this.#scopes.get(id);
    if (scope === undefined || scope.partitionBytes === partitionBytes) return;
    scope.change(() => {
      scope.partitionBytes = partitionBytes;
    });
    this.#recordExcess(scope);
  }

  overflow(): Iterable<RetainedEntry> {
    const isOver = this.#overfull.size > 0 || this.#overQuota.size > 0 || this.#isTierOverLimit(1);
    return isOver ? this.#evictOverflow() : [];
  }

  stats(): Record<string, number> {
    const { entries, bytes, children } = this.#all;
    return {
      lru_entries: entries,
      lru_bytes: bytes,
      lru_bytes_max: this.#max.bytes,
      lru_scopes: this.#scopes.size,
      lru_tenants: children.size,
      lru_evicted_by_quota: this.#quotaEvictedCount,
    };
  }

  *#evictOverflow(): Iterable<RetainedEntry> {
    for (const scope of this.#overfull) while (this.#isScopeOverLimit(scope)) yield this.#evictOldest(scope);
    this.#overfull.clear();
    for (const node of this.#overQuota) {
      for (const entry of this.#evictOverQuota(node)) {
        this.#quotaEvictedCount++;
        yield entry;
      }
    }
    this.#overQuota.clear();
    if (!this.#isTierOverLimit(1)) return;
    const isEnough = () => !this.#isTierOverLimit(EVICTION_TARGET);
    while (!isEnough()) yield* this.#evictLargest(this.#all, isEnough);
  }

  /**
   * Evicts entries of a holder over its quota. For entries and bytes it works like the limit of all scopes.
   * Sessions and namespaces are evicted as a whole.
   */
  *#evictOverQuota(node: UsageNode): Iterable<RetainedEntry> {
    for (const resource of ["entries", "bytes"] as const) {
      const isEnough = () => node.entries === 0 || !node.isOverQuota(resource, EVICTION_TARGET);
      if (node.isOverQuota(resource)) while (!isEnough()) yield* this.#evictLargest(node, isEnough);
    }
    for (const resource of ["namespaces", "sessions"] as const) {
      if (!node.isOverQuota(resource)) continue;
      while (node.isOverQuota(resource, EVICTION_TARGET)) yield* this.#evictLeastUsed(node, resource);
    }
  }

  /**
   * Evicts some of the least recently used namespaces or sessions. For a tenant, evicts them from the agent
   * with the most.
   */
  *#evictLeastUsed(node: UsageNode, resource: "namespaces" | "sessions"): Iterable<RetainedEntry> {
    const agent = node.parent === this.#all ? agentWithMost(node, resource) : node;
    const units = resource === "sessions" ? [...agent.children.values()] : [...agent.scopes()];
    const byUse = units.map((unit) => ({ unit, usedAt: unit.usedAt })).sort((a, b) => a.usedAt - b.usedAt);
    for (const { unit } of byUse.slice(0, Math.ceil(units.length * (1 - EVICTION_TARGET)))) {
      if (!node.isOverQuota(resource, EVICTION_TARGET)) return;
      for (const scope of unit instanceof ScopeUsage ? [unit] : [...unit.scopes()]) {
        while (scope.entries > 0) yield this.#evictOldest(scope);
      }
    }
  }

  /** Evicts entries from the parts with nearly the largest share until `isEnough`. */
  *#evictLargest(node: UsageNode, isEnough: () => boolean): Iterable<RetainedEntry> {
    const floor = EVICTION_TARGET * largestShare(node, this.#max);
    for (const part of node.children.values()) {
      const isDone = () => isEnough() || part.entries === 0 || shareOf(part, this.#max) <= floor;
      while (!isDone()) {
        if (part instanceof ScopeUsage) yield this.#evictOldest(part);
        else yield* this.#evictLargest(part, isDone);
      }
    }
  }

  /** Records which limits and quotas are exceeded. */
  #recordExcess(scope: ScopeUsage): void {
    if (this.#isScopeOverLimit(scope)) this.#overfull.add(scope);
    // The levels are session, agent and tenant. A session has no own quota.
    const agent = scope.parent.parent!;
    for (const node of [agent, agent.parent!]) {
      if (QUOTAS.some((resource) => node.isOverQuota(resource))) this.#overQuota.add(node);
    }
  }

  #isScopeOverLimit({ entries, bytes }: ScopeUsage): boolean {
    return entries > this.options.scopeEntriesMax || bytes > this.options.scopeBytesMax;
  }

  #isTierOverLimit(share: number): boolean {
    const { entries, bytes } = this.#max;
    return this.#all.entries > Math.ceil(entries * share) || this.#all.bytes > bytes * share;
  }

  #evictOldest(scope: ScopeUsage): RetainedEntry {
    const entry = { scope: scope.name, keyHash: scope.order.oldest! };
    this.#remove(scope, entry.keyHash);
    return entry;
  }

  /** Removes an entry and its share of the partition bytes, until these are measured again. */
  #remove(scope: ScopeUsage, keyHash: string): void {
    scope.change(() => {
      scope.partitionBytes = Math.floor(scope.partitionBytes * (1 - 1 / scope.entries));
      scope.order.delete(keyHash);
    });
    if (scope.entries === 0) this.#scopes.delete(scope.name);
  }

  #addScope(id: string): ScopeUsage {
    const { tenant, agent = "", session = "" } = parseScopeId(id);
    // A holder becomes a part of its parent when an entry is stored.
    const ofTenant = childNode(this.#all, tenant, () => this.quotas.forTenant(tenant));
    const ofAgent = childNode(ofTenant, agent, () => this.quotas.forAgent(tenant, agent));
    const scope = new ScopeUsage(id, childNode(ofAgent, session), SCOPE_BYTES);
    this.#scopes.set(id, scope);
    return scope;
  }
}

function childNode(parent: UsageNode, name: string, quota?: () => Quota): UsageNode {
  return (parent.children.get(name) as UsageNode | undefined) ?? new UsageNode(name, parent, quota?.());
}
