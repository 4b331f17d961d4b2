import type { RateQuotas } from "@membus/host";
import { type OptionsOf, option, optionSet, type QuotaOptions, quotaOptions } from "@membus/protocol";

const count = option.integer(1, 1_000_000_000).optional();

/** Quota of an agent or a tenant in a durable tier. */
const DurableQuotaSchema = optionSet({
  entries: count,
  /** Bytes of the entries. */
  bytes: option.integer(65_536, 2 ** 50).optional(),
  namespaces: count,
});

/** Quota of an agent or a tenant in the working tier, and its rates per second. */
const QuotaSchema = optionSet({
  ...DurableQuotaSchema.shape,
  sessions: count,
  requests_per_second: count,
  request_bytes_per_second: option.integer(1_024, 2 ** 40).optional(),
  query_ms_per_second: option.integer(1, 1_000_000).optional(),
});

export const QuotasSchema = optionSet({
  ...quotaOptions(QuotaSchema).shape,
  episodic: quotaOptions(DurableQuotaSchema).optional(),
  semantic: quotaOptions(DurableQuotaSchema).optional(),
});

interface Quota extends OptionsOf<typeof QuotaSchema> {}
type Quotas = QuotaOptions<Quota>;

/** Returns the storage quotas as options of the working tier. */
export function storageQuotas(quotas: Quotas = {}): QuotaOptions<Omit<Quota, `${string}_per_second`>> {
  return mapQuotas(quotas, ({ entries, bytes, namespaces, sessions }) => ({
    entries,
    bytes,
    namespaces,
    sessions,
  }));
}

/** Returns the rate quotas as options of the host. */
export function rateQuotas(quotas: Quotas = {}): RateQuotas {
  return mapQuotas(quotas, ({ requests_per_second, request_bytes_per_second, query_ms_per_second }) => ({
    requestsPerSecond: requests_per_second,
    requestBytesPerSecond: request_bytes_per_second,
    queryMsPerSecond: query_ms_per_second,
  }));
}

function mapQuotas<T>(
  { agent, tenant, agents, tenants }: Quotas,
  part: (quota: Quota) => T,
): QuotaOptions<T> {
  const byName = (quotas: Readonly<Record<string, Quota>>) =>
    Object.fromEntries(Object.entries(quotas).map(([name, quota]) => [name, part(quota)]));
  return {
    ...(agent && { agent: part(agent) }),
    ...(tenant && { tenant: part(tenant) }),
    ...(agents && { agents: byName(agents) }),
    ...(tenants && { tenants: byName(tenants) }),
  };
}
