import { MemoryError } from "@membus/protocol";
import type { HeldBook } from "./held-quotas.js";
import { Holder } from "./holder.js";

/** What an entry counts as. */
export interface Holding {
  /** Who holds it: in the shared tier its author. */
  readonly agent: string;
  readonly bytes: number;
  /** Unix seconds; 0: never. */
  readonly expiresAt: number;
}

/** An entry of a scope that comes, goes, or takes the place of another. */
export interface HoldingChange {
  /** Its id. */
  readonly scope: string;
  readonly former?: Holding | undefined;
  readonly next?: Holding | undefined;
}

const LIMITS = {
  agent: { entries: "agentEntries", bytes: "agentBytes", namespaces: "agentNamespaces" },
  tenant: { entries: "tenantEntries", bytes: "tenantBytes", namespaces: "tenantNamespaces" },
} as const;

/** What a tenant and its agents hold in a durable tier. */
export class TenantHoldings {
  readonly all: Holder;
  readonly #agents = new Map<string, Holder>();
  /** By scope, for those where something expires: not before this. */
  readonly #expiries = new Map<string, number>();

  /** `countedAt`, Unix seconds: what had expired by then is not counted, whenever it comes or goes. */
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

  /** Why there is no room for an entry. One that takes no more than what it replaces always has some. */
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

  /** Scopes where something may have expired that is still counted. */
  expired(now: number): string[] {
    return [...this.#expiries].filter(([, at]) => at <= now).map(([scope]) => scope);
  }

  /** What had expired in a scope is gone; nothing else of it does before `next`, which may be infinite. */
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
  const message = `the quota of the ${who}, ${max} ${unit} in this tier, has no room for the entry`;
  return new MemoryError("memory_full", message, { limit: LIMITS[who][unit], max });
}
