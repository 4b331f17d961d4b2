import {
  integerOption,
  isJsonObject,
  type OptionRule,
  type QuotaOptions,
  QuotaTable,
} from "@membus/protocol";

/** Rate limits per second. Further requests are refused with `overloaded`. */
export interface RateQuota {
  /** Requests, 1..1000000000. Absent: 50,000 for an agent, 100,000 for a tenant. */
  readonly requestsPerSecond?: number | undefined;
  /** Message bytes, 1024..2^40. Absent: 64 MiB for an agent, 128 MiB for a tenant. */
  readonly requestBytesPerSecond?: number | undefined;
  /**
   * Milliseconds of host time that retrieves, lists and status requests may use, 1..1000000. Concurrent
   * requests share the time. Absent: unlimited.
   */
  readonly queryMsPerSecond?: number | undefined;
}

/** Rate limits of agents and tenants. A quota by name replaces the general one as a whole. */
export type RateQuotas = QuotaOptions<RateQuota>;

export type ResolvedRateQuota = Readonly<Required<{ [K in keyof RateQuota]: number }>>;

const MIB = 1024 * 1024;
const UNLIMITED = Number.POSITIVE_INFINITY;
/** Defaults far above the throughput of one host on one core. They only bound the cost of a flood. */
const AGENT_RATES: ResolvedRateQuota = {
  requestsPerSecond: 50_000,
  requestBytesPerSecond: 64 * MIB,
  queryMsPerSecond: UNLIMITED,
};
const TENANT_RATES: ResolvedRateQuota = {
  requestsPerSecond: 100_000,
  requestBytesPerSecond: 128 * MIB,
  queryMsPerSecond: UNLIMITED,
};

const RULES = {
  requestsPerSecond: allowUnlimited(integerOption(1, 1_000_000_000)),
  requestBytesPerSecond: allowUnlimited(integerOption(1_024, 2 ** 40)),
  queryMsPerSecond: allowUnlimited(integerOption(1, 1_000_000)),
};

/** @throws {TypeError} Naming the unknown field or the value that is out of range. */
export function rateBook(rates: RateQuotas): QuotaTable<ResolvedRateQuota> {
  const defaults = { agent: AGENT_RATES, tenant: TENANT_RATES };
  return new QuotaTable<ResolvedRateQuota>(rates as QuotaOptions<Partial<ResolvedRateQuota>>, {
    ...{ name: "rates", rules: RULES, ...defaults },
  });
}

export function ratesOption(value: unknown, name: string): void {
  if (!isJsonObject(value)) throw new TypeError(`${name} must be an object`);
  rateBook(value);
}

function allowUnlimited(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== UNLIMITED) rule(value, name);
  };
}
