import { integerOption, type OptionRule, resolveOptions } from "@membus/protocol";

/** What somebody may hold in a tier in memory; what is absent is not bounded. */
export interface Quota {
  /** 1..1,000,000,000. */
  readonly entries?: number | undefined;
  /** Of RAM. 65,536..2^50. */
  readonly bytes?: number | undefined;
  /** Of all sessions together. 1..1,000,000,000. */
  readonly namespaces?: number | undefined;
  /** 1..1,000,000,000. */
  readonly sessions?: number | undefined;
}

/** What agents and tenants may hold. A quota by name is instead of the one for all, as a whole. */
export interface Quotas {
  readonly agent?: Quota | undefined;
  readonly tenant?: Quota | undefined;
  /** By `<tenant>.<agent>`, as in subjects. */
  readonly agents?: Readonly<Record<string, Quota>> | undefined;
  readonly tenants?: Readonly<Record<string, Quota>> | undefined;
}

const COUNT = optional(integerOption(1, 1_000_000_000));
const RULES = {
  ...{ entries: COUNT, namespaces: COUNT, sessions: COUNT },
  bytes: optional(integerOption(65_536, 2 ** 50)),
};
const ANY: OptionRule = () => undefined;

/** Whose quota is which. */
export class QuotaBook {
  readonly #agent: Quota;
  readonly #tenant: Quota;
  readonly #agents: ReadonlyMap<string, Quota>;
  readonly #tenants: ReadonlyMap<string, Quota>;

  /** @throws {TypeError} naming what is unknown or out of range. */
  constructor(quotas: Quotas = {}) {
    const rules = { agent: ANY, tenant: ANY, agents: ANY, tenants: ANY };
    const { agent, tenant, agents, tenants } = at("quotas", () => resolveOptions<Quotas>(quotas, {}, rules));
    this.#agent = checked("quotas.agent", agent);
    this.#tenant = checked("quotas.tenant", tenant);
    this.#agents = byName("quotas.agents", agents);
    this.#tenants = byName("quotas.tenants", tenants);
  }

  ofTenant(tenant: string): Quota {
    return this.#tenants.get(tenant) ?? this.#tenant;
  }

  ofAgent(tenant: string, agent: string): Quota {
    return this.#agents.get(`${tenant}.${agent}`) ?? this.#agent;
  }
}

function byName(path: string, quotas: Readonly<Record<string, Quota>> = {}): ReadonlyMap<string, Quota> {
  return new Map(Object.entries(quotas).map(([name, quota]) => [name, checked(`${path}.${name}`, quota)]));
}

function checked(path: string, quota: Quota = {}): Quota {
  return at(path, () => resolveOptions<Quota>(quota, {}, RULES));
}

/** A problem is named with where it is. */
function at<T>(path: string, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}

function optional(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== undefined) rule(value, name);
  };
}
