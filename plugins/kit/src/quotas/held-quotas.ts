import { integerOption, optionalOption, QuotaBook, type QuotasOf } from "@membus/protocol";

/** What somebody may hold in a durable tier; what is absent is not bounded. */
export interface HeldQuota {
  /** 1..1,000,000,000. */
  readonly entries?: number | undefined;
  /** Of the entries' JSON: content, text and context, key, tags, source, metadata and sources. 65,536..2^50. */
  readonly bytes?: number | undefined;
  /** That hold an entry. 1..1,000,000,000. */
  readonly namespaces?: number | undefined;
}

/** In the shared tier an agent holds the entries that it wrote last. */
export type HeldQuotas = QuotasOf<HeldQuota>;

export type QuotaUnit = keyof HeldQuota;

const COUNT = optionalOption(integerOption(1, 1_000_000_000));
const RULES = { entries: COUNT, namespaces: COUNT, bytes: optionalOption(integerOption(65_536, 2 ** 50)) };

/** Whose quota is which, and whom there are any for. */
export class HeldBook extends QuotaBook<HeldQuota> {
  readonly #ofEachAgent: boolean;
  /** Tenants with an agent that has a quota by name. */
  readonly #named: ReadonlySet<string>;

  /** @throws {TypeError} naming what is unknown or out of range. */
  constructor(quotas: HeldQuotas) {
    super(quotas, { name: "quotas", rules: RULES, agent: {}, tenant: {} });
    this.#ofEachAgent = bounds(quotas.agent);
    const named = Object.entries(quotas.agents ?? {}).filter(([, quota]) => bounds(quota));
    this.#named = new Set(named.map(([name]) => name.slice(0, name.indexOf("."))));
  }

  /** Whether a quota may apply to anything that is stored of a tenant. */
  appliesTo(tenant: string): boolean {
    return this.#ofEachAgent || this.#named.has(tenant) || bounds(this.ofTenant(tenant));
  }
}

function bounds(quota: HeldQuota = {}): boolean {
  return Object.values(quota).some((max) => max !== undefined);
}
