import { type OptionsOf, option, optionSet, type QuotaOptions, quotaOptions } from "@membus/protocol";

const MIB = 1024 * 1024;

const RateQuotaSchema = optionSet({
  /** Requests. Default: 50,000 for an agent, 100,000 for a tenant. */
  requestsPerSecond: option.integer(1, 1_000_000_000).optional(),
  /** Message bytes. Default: 64 MiB for an agent, 128 MiB for a tenant. */
  requestBytesPerSecond: option.integer(1_024, 2 ** 40).optional(),
  /**
   * Milliseconds of host time that retrieves, lists and status requests may use. Concurrent requests share
   * the time. Unlimited by default.
   */
  queryMsPerSecond: option.integer(1, 1_000_000).optional(),
});

/** Rate limits per second. Further requests are refused with `overloaded`. */
export interface RateQuota extends OptionsOf<typeof RateQuotaSchema> {}

/** Rate limits of agents and tenants. A quota by name replaces the general one as a whole. */
export type RateQuotas = QuotaOptions<RateQuota>;
export const RateQuotasSchema = quotaOptions(RateQuotaSchema);

export type ResolvedRateQuota = RateQuota & {
  readonly requestsPerSecond: number;
  readonly requestBytesPerSecond: number;
};

/** Defaults far above the throughput of one host on one core. They only bound the cost of a flood. */
export const RATE_DEFAULTS: { readonly agent: ResolvedRateQuota; readonly tenant: ResolvedRateQuota } =
  Object.freeze({
    agent: { requestsPerSecond: 50_000, requestBytesPerSecond: 64 * MIB },
    tenant: { requestsPerSecond: 100_000, requestBytesPerSecond: 128 * MIB },
  });
