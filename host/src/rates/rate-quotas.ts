import { integerOption, isJsonObject, type OptionRule, resolveOptions } from "@membus/protocol";

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
export interface RateQuotas {
  readonly agent?: RateQuota | undefined;
  readonly tenant?: RateQuota | undefined;
  /** By `<tenant>.<agent>`, as in subjects. */
  readonly agents?: Readonly<Record<string, RateQuota>> | undefined;
  readonly tenants?: Readonly<Record<string, RateQuota>> | undefined;
}

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
const OBJECT: OptionRule = (value, name) => {
  if (value !== undefined && !isJsonObject(value)) throw new TypeError(`${name} must be an object`);
};

/** Whose rates are which. */
export class RateBook {
  readonly #agent: ResolvedRateQuota;
  readonly #tenant: ResolvedRateQuota;
  readonly #agents: ReadonlyMap<string, ResolvedRateQuota>;
  readonly #tenants: ReadonlyMap<string, ResolvedRateQuota>;

  /** @throws {TypeError} naming what is unknown or out of range. */
  constructor(quotas: RateQuotas) {
    const rules = { agent: OBJECT, tenant: OBJECT, agents: OBJECT, tenants: OBJECT };
    const { agent, tenant, agents, tenants } = at("rates", () =>
      resolveOptions<RateQuotas>(quotas, {}, rules),
    );
    this.#agent = resolved("rates.agent", agent, OF_AGENT);
    this.#tenant = resolved("rates.tenant", tenant, OF_TENANT);
    this.#agents = byName("rates.agents", agents, OF_AGENT);
    this.#tenants = byName("rates.tenants", tenants, OF_TENANT);
  }

  ofTenant(tenant: string): ResolvedRateQuota {
    return this.#tenants.get(tenant) ?? this.#tenant;
  }

  ofAgent(tenant: string, agent: string): ResolvedRateQuota {
    return this.#agents.get(`${tenant}.${agent}`) ?? this.#agent;
  }
}

export function ratesOption(value: unknown, name: string): void {
  if (!isJsonObject(value)) throw new TypeError(`${name} must be an object`);
  new RateBook(value);
}

function byName(
  path: string,
  quotas: Readonly<Record<string, RateQuota>> = {},
  defaults: ResolvedRateQuota,
): ReadonlyMap<string, ResolvedRateQuota> {
  return new Map(
    Object.entries(quotas).map(([name, quota]) => [name, resolved(`${path}.${name}`, quota, defaults)]),
  );
}

function resolved(path: string, quota: RateQuota = {}, defaults: ResolvedRateQuota): ResolvedRateQuota {
  OBJECT(quota, path);
  return at(path, () => resolveOptions<ResolvedRateQuota>(quota as ResolvedRateQuota, defaults, RULES));
}

/** A problem is named with where it is. */
function at<T>(path: string, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}

function unlessAny(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== ANY) rule(value, name);
  };
}
