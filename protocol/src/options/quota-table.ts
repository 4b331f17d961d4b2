import { z } from "zod";
import { type OptionSet, optionSet } from "./option-set.js";

/** Quotas of agents and tenants. A quota by name replaces the general quota as a whole. */
export interface QuotaOptions<Quota> {
  readonly agent?: Quota | undefined;
  readonly tenant?: Quota | undefined;
  /** Quotas by `<tenant>.<agent>`, as in subjects. */
  readonly agents?: Readonly<Record<string, Quota>> | undefined;
  readonly tenants?: Readonly<Record<string, Quota>> | undefined;
}

/** Returns a declaration of `QuotaOptions`, given the declaration of one quota. */
export function quotaOptions<Q extends OptionSet>(quota: Q) {
  return optionSet({
    agent: quota.optional(),
    tenant: quota.optional(),
    agents: byName(quota, /^[^.]+\.[^.]+$/, "must be named <tenant>.<agent>"),
    tenants: byName(quota, /^[^.]+$/, "must be named by a tenant, without a dot"),
  });
}

function byName<Q extends OptionSet>(quota: Q, pattern: RegExp, message: string) {
  const quotas = z.record(z.string(), quota, { error: "must be an object" }).superRefine((value, context) => {
    for (const name of Object.keys(value)) {
      if (!pattern.test(name)) context.addIssue({ code: "custom", path: [name], message });
    }
  });
  return quotas.readonly().optional();
}

/** Resolves the quota of an agent or tenant. */
export class QuotaTable<Quota extends object> {
  readonly #agent: Quota;
  readonly #tenant: Quota;
  readonly #agents: ReadonlyMap<string, Quota>;
  readonly #tenants: ReadonlyMap<string, Quota>;

  /**
   * @param quotas parsed quotas.
   * @param defaults quota of an agent and of a tenant, which fill in what a given quota leaves out.
   */
  constructor(
    quotas: QuotaOptions<{ readonly [K in keyof Quota]?: Quota[K] | undefined }>,
    defaults: { readonly agent: Quota; readonly tenant: Quota },
  ) {
    this.#agent = withDefaults(quotas.agent, defaults.agent);
    this.#tenant = withDefaults(quotas.tenant, defaults.tenant);
    this.#agents = byOwner(quotas.agents, defaults.agent);
    this.#tenants = byOwner(quotas.tenants, defaults.tenant);
  }

  forTenant(tenant: string): Readonly<Quota> {
    return this.#tenants.get(tenant) ?? this.#tenant;
  }

  forAgent(tenant: string, agent: string): Readonly<Quota> {
    return this.#agents.get(`${tenant}.${agent}`) ?? this.#agent;
  }
}

function byOwner<Quota extends object>(
  quotas: Readonly<Record<string, object>> = {},
  defaults: Quota,
): ReadonlyMap<string, Quota> {
  return new Map(Object.entries(quotas).map(([owner, quota]) => [owner, withDefaults(quota, defaults)]));
}

function withDefaults<Quota extends object>(quota: object = {}, defaults: Quota): Quota {
  const given = Object.entries(quota).filter(([, value]) => value !== undefined);
  return Object.freeze({ ...defaults, ...Object.fromEntries(given) });
}
