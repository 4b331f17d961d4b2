import {
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type QuotaOptions,
  QuotaTable,
  quotaOptions,
} from "@membus/protocol";

const count = option.integer(1, 1_000_000_000).optional();
const StorageQuotaSchema = optionSet({
  /** Number of entries. */
  entries: count,
  /** Bytes of the entries' JSON: content, text and context, key, tags, source, group, metadata and sources. */
  bytes: option.integer(65_536, 2 ** 50).optional(),
  /** Number of namespaces with at least one entry. */
  namespaces: count,
});
const StorageQuotasSchema = quotaOptions(StorageQuotaSchema);

/** Limits of an agent or tenant in a durable tier. Absent limits are unlimited. */
export interface StorageQuota extends OptionsOf<typeof StorageQuotaSchema> {}

/** Quotas of agents and tenants. In the shared tier an entry counts for the agent that wrote it last. */
export type StorageQuotaOptions = QuotaOptions<StorageQuota>;

export type QuotaUnit = keyof StorageQuota;

/** Looks up the quotas of agents and tenants. */
export class StorageQuotas extends QuotaTable<StorageQuota> {
  readonly #ofEachAgent: boolean;
  /** Tenants with a named agent that has a quota. */
  readonly #named: ReadonlySet<string>;

  /** @throws {TypeError} naming an unknown or invalid option. */
  constructor(quotas: StorageQuotaOptions) {
    super(parseOptions(StorageQuotasSchema, quotas, ["quotas"]), { agent: {}, tenant: {} });
    this.#ofEachAgent = bounds(quotas.agent);
    const named = Object.entries(quotas.agents ?? {}).filter(([, quota]) => bounds(quota));
    this.#named = new Set(named.map(([name]) => name.slice(0, name.indexOf("."))));
  }

  /** Returns whether any quota may apply to entries of a tenant. */
  appliesTo(tenant: string): boolean {
    return this.#ofEachAgent || this.#named.has(tenant) || bounds(this.forTenant(tenant));
  }
}

function bounds(quota: StorageQuota = {}): boolean {
  return Object.values(quota).some((max) => max !== undefined);
}
