import { integerOption, isJsonObject, type OptionRule, QuotaBook, type QuotasOf } from "@membus/protocol";

/** What somebody may ask for in a second. Further requests are `overloaded`. */
export interface RateQuota {
  /** 1..1000000000. Absent: 50,000 of an agent, 100,000 of a tenant. */
  readonly requestsPerSecond?: number | undefined;
  /** Of messages, 1024..2^40. Absent: 64 MiB of an agent, 128 MiB of a tenant. */
  readonly requestBytesPerSecond?: number | undefined;
  /**
   * Of the host's time that retrieves, lists and status requests keep it busy, 1..1000000. What runs at once shares that time.
   * Absent: any.
   */
  readonly queryMsPerSecond?: number | undefined;
}

/** What agents and tenants may ask for. A quota by name is instead of the one for all, as a whole. */
export type RateQuotas = QuotasOf<RateQuota>;

export type ResolvedRateQuota = Readonly<Required<{ [K in keyof RateQuota]: number }>>;

const MIB = 1024 * 1024;
const ANY = Number.POSITIVE_INFINITY;
/** Far above what one host serves on one core: they bound what a flood costs, and nobody else meets them. */
const OF_AGENT: ResolvedRateQuota = {
  requestsPerSecond: 50_000,
  requestBytesPerSecond: 64 * MIB,
  queryMsPerSecond: ANY,
};
const OF_TENANT: ResolvedRateQuota = {
  requestsPerSecond: 100_000,
  requestBytesPerSecond: 128 * MIB,
  queryMsPerSecond: ANY,
};

const RULES = {
  requestsPerSecond: unlessAny(integerOption(1, 1_000_000_000)),
  requestBytesPerSecond: unlessAny(integerOption(1_024, 2 ** 40)),
  queryMsPerSecond: unlessAny(integerOption(1, 1_000_000)),
};

/** @throws {TypeError} naming what is unknown or out of range. */
export function rateBook(rates: RateQuotas): QuotaBook<ResolvedRateQuota> {
  const defaults = { agent: OF_AGENT, tenant: OF_TENANT };
  return new QuotaBook<ResolvedRateQuota>(rates as QuotasOf<Partial<ResolvedRateQuota>>, {
    ...{ name: "rates", rules: RULES, ...defaults },
  });
}

export function ratesOption(value: unknown, name: string): void {
  if (!isJsonObject(value)) throw new TypeError(`${name} must be an object`);
  rateBook(value);
}

function unlessAny(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== ANY) rule(value, name);
  };
}
