import { MemoryError } from "@membus/protocol";
import type { StorageQuotas } from "./storage-quotas.js";
import { UsageCounter } from "./usage-counter.js";

/** Usage of an entry. */
export interface EntryUsage {
  /** Agent that the entry counts for. In the shared tier its author. */
  readonly agent: string;
  readonly bytes: number;
  /** Unix seconds. 0: never. */
  readonly expiresAt: number;
}

/** An entry of a scope that is added, removed, or replaced. */
export interface UsageChange {
  /** Scope id. */
  readonly scope: string;
  readonly former?: EntryUsage | undefined;
  readonly next?: EntryUsage | undefined;
}

const LIMITS = {
  agent: { entries: "agentEntries", bytes: "agentBytes", namespaces: "agentNamespaces" },
  tenant: { entries: "tenantEntries", bytes: "tenantBytes", namespaces: "tenantNamespaces" },
} as const;

/** Usage of a tenant and its agents in a durable tier. */
export class TenantUsage {
  readonly all: UsageCounter;
  readonly #agents = new Map<string, UsageCounter>();
  /** Earliest possible expiry by scope, for scopes with expiring entries. */
  readonly #expiries = new Map<string, number>();

  /** `countedAt`, Unix seconds: entries that had expired by then are never counted. */
  constructor(
    readonly tenant: string,
    readonly book: StorageQuotas,
    readonly countedAt: number,
  ) {
    this.all = new UsageCounter(book.forTenant(tenant));
  }

  change({ scope, former, next }: UsageChange): void {
    if (former !== undefined) this.#count(scope, former, -1);
    if (next === undefined) return;
    this.#count(scope, next, 1);
    const { expiresAt } = next;
    if (expiresAt > 0 && expiresAt < (this.#expiries.get(scope) ?? Number.POSITIVE_INFINITY)) {
      this.#expiries.set(scope, expiresAt);
    }
  }

  /**
   * Returns the quota error of an entry, if any. An entry that uses no more than the entry it replaces always
   * fits.
   */
  refusal({ scope, former, next }: UsageChange & { readonly next: EntryUsage }): MemoryError | undefined {
    const replaced = former !== undefined && this.#isCounted(former) ? former : undefined;
    for (const who of ["agent", "tenant"] as const) {
      const counter = who === "agent" ? this.#agentOf(next.agent) : this.all;
      const isOwn = who === "tenant" || replaced?.agent === next.agent;
      const unit = counter.exceeded(scope, next.bytes, isOwn ? replaced?.bytes : undefined);
      if (unit !== undefined) return quotaError(who, unit, counter.quota[unit]!);
    }
    return undefined;
  }

  /** Returns the scopes in which counted entries may have expired. */
  expired(now: number): string[] {
    return [...this.#expiries].filter(([, at]) => at <= now).map(([scope]) => scope);
  }

  /**
   * Records that a scope's expired entries were removed and no other expires before `next`, which may be
   * infinite.
   */
  expireAfter(scope: string, next: number): void {
    if (next === Number.POSITIVE_INFINITY) this.#expiries.delete(scope);
    else this.#expiries.set(scope, next);
  }

  #count(scope: string, usage: EntryUsage, sign: 1 | -1): void {
    if (!this.#isCounted(usage)) return;
    this.all.count(scope, usage.bytes, sign);
    const { agent } = usage;
    const counter = this.#agentOf(agent);
    counter.count(scope, usage.bytes, sign);
    if (counter.isEmpty) this.#agents.delete(agent);
    else this.#agents.set(agent, counter);
  }

  #isCounted({ expiresAt }: EntryUsage): boolean {
    return expiresAt === 0 || expiresAt > this.countedAt;
  }

  #agentOf(agent: string): UsageCounter {
    return this.#agents.get(agent) ?? new UsageCounter(this.book.forAgent(this.tenant, agent));
  }
}

function quotaError(who: "agent" | "tenant", unit: keyof typeof LIMITS.agent, max: number): MemoryError {
  const message = `quota exceeded: the ${who} may have at most ${max} ${unit} in this tier. Forget entries or raise the quota`;
  return new MemoryError("memory_full", message, { limit: LIMITS[who][unit], max });
}
