import { QuotaTable } from "@membus/protocol";
import { RecentMap } from "../recent-map.js";
import { RATE_DEFAULTS, type RateQuotas, type ResolvedRateQuota } from "./rate-quotas.js";
import { TokenBucket } from "./token-bucket.js";

/** Maximum number of tenants, and of agents, with a meter. Fewer send requests within a second. */
const REMEMBERED_MAX = 8_192;

/** Sender of a message, according to its subject. */
export interface Sender {
  readonly tenant: string;
  readonly agent: string;
}

/** Exhausted rate limit. */
export type RateCause =
  `${"agent" | "tenant"}_${"requests_per_second" | "request_bytes_per_second" | "query_ms_per_second"}`;

export interface ExhaustedLimit {
  readonly cause: RateCause;
  readonly waitMs: number;
}

/** Remaining allowance of one agent, or of all agents of a tenant. */
class Meter {
  readonly #kind: "agent" | "tenant";
  readonly #requests: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #queryMs: TokenBucket | undefined;

  constructor(kind: "agent" | "tenant", quota: ResolvedRateQuota, now: number) {
    this.#kind = kind;
    this.#requests = new TokenBucket(quota.requestsPerSecond, now);
    this.#bytes = new TokenBucket(quota.requestBytesPerSecond, now);
    const { queryMsPerSecond } = quota;
    this.#queryMs = queryMsPerSecond === undefined ? undefined : new TokenBucket(queryMsPerSecond, now);
  }

  exhaustedLimit(bytes: number, isQuery: boolean, now: number): ExhaustedLimit | undefined {
    const requestsMs = this.#requests.waitMs(1, now);
    if (requestsMs > 0) return { cause: `${this.#kind}_requests_per_second`, waitMs: requestsMs };
    const bytesMs = this.#bytes.waitMs(bytes, now);
    if (bytesMs > 0) return { cause: `${this.#kind}_request_bytes_per_second`, waitMs: bytesMs };
    // The cost of a query is known only after it has ended.
    const queryMs = isQuery ? (this.#queryMs?.waitMs(Number.MIN_VALUE, now) ?? 0) : 0;
    return queryMs > 0 ? { cause: `${this.#kind}_query_ms_per_second`, waitMs: queryMs } : undefined;
  }

  spend(bytes: number): void {
    this.#requests.spend(1);
    this.#bytes.spend(bytes);
  }

  spendQuery(ms: number): void {
    this.#queryMs?.spend(ms);
  }
}

/** Meters the requests of agents and tenants against their rate limits. */
export class RateMeter {
  readonly #quotas: QuotaTable<ResolvedRateQuota>;
  readonly #agents = new RecentMap<string, Meter>(REMEMBERED_MAX);
  readonly #tenants = new RecentMap<string, Meter>(REMEMBERED_MAX);

  constructor(quotas: RateQuotas) {
    this.#quotas = new QuotaTable(quotas, RATE_DEFAULTS);
  }

  /** Counts a request. Returns the exhausted limit if the request exceeds one. */
  take(sender: Sender, bytes: number, isQuery: boolean, now: number): ExhaustedLimit | undefined {
    const meters = this.#metersOf(sender, now);
    for (const meter of meters) {
      const exhaustedLimit = meter.exhaustedLimit(bytes, isQuery, now);
      if (exhaustedLimit !== undefined) return exhaustedLimit;
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
      ofAgent = new Meter("agent", this.#quotas.forAgent(tenant, agent), now);
      this.#agents.set(key, ofAgent);
    }
    let ofTenant = this.#tenants.get(tenant);
    if (ofTenant === undefined) {
      ofTenant = new Meter("tenant", this.#quotas.forTenant(tenant), now);
      this.#tenants.set(tenant, ofTenant);
    }
    return [ofAgent, ofTenant];
  }
}
