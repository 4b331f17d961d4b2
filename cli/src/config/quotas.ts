import type { RateQuotas } from "@membus/host";
import { z } from "zod";

const text = z.string().min(1);
const positive = z.int().min(1);

/** Quota of an agent or a tenant in the working tier, and its rates per second. */
const QuotaSchema = z.strictObject({
  entries: positive.optional(),
  bytes: positive.optional(),
  namespaces: positive.optional(),
  sessions: positive.optional(),
  requests_per_second: positive.optional(),
  request_bytes_per_second: positive.optional(),
  query_ms_per_second: positive.optional(),
});

type Quota = z.infer<typeof QuotaSchema>;

/** Quota of an agent or a tenant in a durable tier. */
const DurableQuotaSchema = QuotaSchema.pick({ entries: true, bytes: true, namespaces: true });

const DurableQuotasSchema = z.strictObject({
  agent: DurableQuotaSchema.optional(),
  tenant: DurableQuotaSchema.optional(),
  agents: z.record(text, DurableQuotaSchema).optional(),
  tenants: z.record(text, DurableQuotaSchema).optional(),
});

export const QuotasSchema = z.strictObject({
  agent: QuotaSchema.optional(),
  tenant: QuotaSchema.optional(),
  agents: z.record(text, QuotaSchema).optional(),
  tenants: z.record(text, QuotaSchema).optional(),
  episodic: DurableQuotasSchema.optional(),
  semantic: DurableQuotasSchema.optional(),
});

type Quotas = z.infer<typeof QuotasSchema>;
type MappedQuotas<T> = Partial<{
  agent: T;
  tenant: T;
  agents: Record<string, T>;
  tenants: Record<string, T>;
}>;

/** Returns the storage quotas as options of the working tier. */
export function storageQuotas(quotas: Quotas = {}): MappedQuotas<Omit<Quota, `${string}_per_second`>> {
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
): MappedQuotas<T> {
  const byName = (quotas: Readonly<Record<string, Quota>>) =>
    Object.fromEntries(Object.entries(quotas).map(([name, quota]) => [name, part(quota)]));
  return {
    ...(agent && { agent: part(agent) }),
    ...(tenant && { tenant: part(tenant) }),
    ...(agents && { agents: byName(agents) }),
    ...(tenants && { tenants: byName(tenants) }),
  };
}
