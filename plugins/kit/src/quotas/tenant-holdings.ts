import { MemoryError } from "@membus/protocol";
import type { HeldBook } from "./held-quotas.js";
import { Holder } from "./holder.js";

/** Usage of an entry. */
export interface Holding {
  /** Agent that the entry counts for. In the shared tier its author. */
  readonly agent: string;
  readonly bytes: number;
  /** Unix seconds. 0: never. */
  readonly expiresAt: number;
}

/** An entry of a scope that is added, removed, or replaced. */
export interface HoldingChange {
  /** Scope id. */
  readonly scope: string;
  readonly former?: Holding | undefined;
  readonly next?: Holding | undefined;
}

const LIMITS = {
  agent: { entries: "agentEntries", bytes: "agentBytes", namespaces: "agentNamespaces" },
  tenant: { entries: "tenantEntries", bytes: "tenantBytes", namespaces: "tenantNamespaces" },
} as const;

/** Usage of a tenant and its agents in a durable tier. */
export class TenantHoldings {
  readonly all: Holder;
  readonly #agents = new Map<string, Holder>();
  /** Earliest possible expiry by scope, for scopes with expiring entries. */
  readonly #expiries = new Map<string, number>();

  /** `countedAt`, Unix seconds: entries that had expired by then are never counted. */
  constructor(
    readonly tenant: string,
    readonly book: HeldBook,
    readonly countedAt: number,
  ) {
    this.all = new Holder(book.ofTenant(tenant));
  }

  change({ scope, former, next }: HoldingChange): void {
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
  refusal({ scope, former, next }: HoldingChange & { readonly next: Holding }): MemoryError | undefined {
    const replaced = former !== undefined && this.#isCounted(former) ? former : undefined;
    for (const who of ["agent", "tenant"] as const) {
      const holder = who === "agent" ? this.#agentOf(next.agent) : this.all;
      const isOwn = who === "tenant" || replaced?.agent === next.agent;
      const unit = holder.exceeded(scope, next.bytes, isOwn ? replaced?.bytes : undefined);
      if (unit !== undefined) return quotaError(who, unit, holder.quota[unit]!);
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

  #count(scope: string, holding: Holding, sign: 1 | -1): void {
    if (!this.#isCounted(holding)) return;
    this.all.count(scope, holding.bytes, sign);
    const { agent } = holding;
    const holder = this.#agentOf(agent);
    holder.count(scope, holding.bytes, sign);
    if (holder.isEmpty) this.#agents.delete(agent);
    else this.#agents.set(agent, holder);
  }

  #isCounted({ expiresAt }: Holding): boolean {
    return expiresAt === 0 || expiresAt > this.countedAt;
  }

  #agentOf(agent: string): Holder {
    return this.#agents.get(agent) ?? new Holder(this.book.ofAgent(this.tenant, agent));
  }
}

function quotaError(who: "agent" | "tenant", unit: keyof typeof LIMITS.agent, max: number): MemoryError {
  const message = `quota exceeded: the ${who} may have at most ${max} ${unit} in this tier. Forget entries or raise the quota`;
  return new MemoryError("memory_full", message, { limit: LIMITS[who][unit], max });
}
