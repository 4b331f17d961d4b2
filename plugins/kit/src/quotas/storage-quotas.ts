import { integerOption, optionalOption, type QuotaOptions, QuotaTable } from "@membus/protocol";

/** Limits of an agent or tenant in a durable tier. Absent limits are unlimited. */
export interface StorageQuota {
  /** Number of entries, 1..1,000,000,000. */
  readonly entries?: number | undefined;
  /**
   * Bytes of the entries' JSON: content, text and context, key, tags, source, metadata and sources.
   * 65,536..2^50.
   */
  readonly bytes?: number | undefined;
  /** Number of namespaces with at least one entry. 1..1,000,000,000. */
  readonly namespaces?: number | undefined;
}

/** Quotas of agents and tenants. In the shared tier an entry counts for the agent that wrote it last. */
export type StorageQuotaOptions = QuotaOptions<StorageQuota>;

export type QuotaUnit = keyof StorageQuota;

const COUNT = optionalOption(integerOption(1, 1_000_000_000));
const RULES = { entries: COUNT, namespaces: COUNT, bytes: optionalOption(integerOption(65_536, 2 ** 50)) };

/** Looks up the quotas of agents and tenants. */
export class StorageQuotas extends QuotaTable<StorageQuota> {
  readonly #ofEachAgent: boolean;
  /** Tenants with a named agent that has a quota. */
  readonly #named: ReadonlySet<string>;

  /** @throws {TypeError} naming an unknown or invalid option. */
  constructor(quotas: StorageQuotaOptions) {
    super(quotas, { name: "quotas", rules: RULES, agent: {}, tenant: {} });
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
