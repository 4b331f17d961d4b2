import type { QuotaBook } from "@membus/protocol";
import { RecentMap } from "../recent-map.js";
import { type RateQuotas, type ResolvedRateQuota, rateBook } from "./rate-quotas.js";
import { TokenBucket } from "./token-bucket.js";

/** Tenants, and agents, whose use is remembered: more than send something within a second. */
const KEPT = 8_192;

/** Who sends a message, as its subject says. */
export interface Sender {
  readonly tenant: string;
  readonly agent: string;
}

/** What somebody has used up. */
export type RateCause =
  `${"agent" | "tenant"}_${"requests_per_second" | "request_bytes_per_second" | "query_ms_per_second"}`;

export interface UsedUp {
  readonly cause: RateCause;
  readonly waitMs: number;
}

/** What one agent, or all agents of a tenant, have left. */
class Meter {
  readonly #of: "agent" | "tenant";
  readonly #requests: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #queryMs: TokenBucket | undefined;

  constructor(of: "agent" | "tenant", quota: ResolvedRateQuota, now: number) {
    this.#of = of;
    this.#requests = new TokenBucket(quota.requestsPerSecond, now);
    this.#bytes = new TokenBucket(quota.requestBytesPerSecond, now);
    const { queryMsPerSecond } = quota;
    this.#queryMs = Number.isFinite(queryMsPerSecond) ? new TokenBucket(queryMsPerSecond, now) : undefined;
  }

  usedUp(bytes: number, isQuery: boolean, now: number): UsedUp | undefined {
    const requestsMs = this.#requests.waitMs(1, now);
    if (requestsMs > 0) return { cause: `${this.#of}_requests_per_second`, waitMs: requestsMs };
    const bytesMs = this.#bytes.waitMs(bytes, now);
    if (bytesMs > 0) return { cause: `${this.#of}_request_bytes_per_second`, waitMs: bytesMs };
    // What a query takes is known when it has ended.
    const queryMs = isQuery ? (this.#queryMs?.waitMs(Number.MIN_VALUE, now) ?? 0) : 0;
    return queryMs > 0 ? { cause: `${this.#of}_query_ms_per_second`, waitMs: queryMs } : undefined;
  }

  spend(bytes: number): void {
    this.#requests.spend(1);
    this.#bytes.spend(bytes);
  }

  spendQuery(ms: number): void {
    this.#queryMs?.spend(ms);
  }
}

/** Counts what agents and tenants ask for in a second against their quotas. */
export class RateMeter {
  readonly #book: QuotaBook<ResolvedRateQuota>;
  readonly #agents = new RecentMap<string, Meter>(KEPT);
  readonly #tenants = new RecentMap<string, Meter>(KEPT);

  constructor(quotas: RateQuotas) {
    this.#book = rateBook(quotas);
  }

  /** Counts a request, unless it is one too much: then what is used up. */
  take(sender: Sender, bytes: number, isQuery: boolean, now: number): UsedUp | undefined {
    const meters = this.#metersOf(sender, now);
    for (const meter of meters) {
      const usedUp = meter.usedUp(bytes, isQuery, now);
      if (usedUp !== undefined) return usedUp;
    }
    for (const meter of meters) meter.spend(bytes);
    return undefined;
  }

  /** Counts the time that a query took. */
  spendQuery(sender: Sender, ms: number, now: number): void {
    for (const meter of this.#metersOf(sender, now)) meter.spendQuery(ms);
  }

  #metersOf({ tenant, agent }: Sender, now: number): readonly [Meter, Meter] {
    const key = `${tenant}\n${agent}`;
    let ofAgent = this.#agents.get(key);
    if (ofAgent === undefined) {
      ofAgent = new Meter("agent", this.#book.ofAgent(tenant, agent), now);
      this.#agents.set(key, ofAgent);
    }
    let ofTenant = this.#tenants.get(tenant);
    if (ofTenant === undefined) {
      ofTenant = new Meter("tenant", this.#book.ofTenant(tenant), now);
      this.#tenants.set(tenant, ofTenant);
    }
    return [ofAgent, ofTenant];
  }
}
