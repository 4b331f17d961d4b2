import { isJsonObject } from "../json.js";
import { type OptionRule, resolveOptions } from "./resolve-options.js";

/** What agents and tenants may have. A quota by name is instead of the one for all, as a whole. */
export interface QuotasOf<Quota> {
  readonly agent?: Quota | undefined;
  readonly tenant?: Quota | undefined;
  /** By `<tenant>.<agent>`, as in subjects. */
  readonly agents?: Readonly<Record<string, Quota>> | undefined;
  readonly tenants?: Readonly<Record<string, Quota>> | undefined;
}

/** What a quota may say, and says where nothing is said. */
export interface QuotaTerms<Quota extends object> {
  /** What the option is called, for problems. */
  readonly name: string;
  readonly rules: { readonly [K in keyof Quota]-?: OptionRule };
  /** Defaults of an agent's quota, and of a tenant's. */
  readonly agent: Quota;
  readonly tenant: Quota;
}

const OBJECT: OptionRule = (value, name) => {
  if (value !== undefined && !isJsonObject(value)) throw new TypeError(`${name} must be an object`);
};
/** Of the name of each, between dots. */
const TOKENS = { agent: 2, tenant: 1 };
const PARTS = { agent: OBJECT, tenant: OBJECT, agents: OBJECT, tenants: OBJECT };

/** Whose quota is which. */
export class QuotaBook<Quota extends object> {
  readonly #agent: Readonly<Quota>;
  readonly #tenant: Readonly<Quota>;
  readonly #agents: ReadonlyMap<string, Readonly<Quota>>;
  readonly #tenants: ReadonlyMap<string, Readonly<Quota>>;

  /** @throws {TypeError} naming what is unknown or out of range, and where. */
  constructor(quotas: QuotasOf<Partial<Quota>>, { name, rules, ...defaults }: QuotaTerms<Quota>) {
    const given = at(name, () => resolveOptions<QuotasOf<Partial<Quota>>>(quotas, {}, PARTS));
    const resolved = (path: string, quota: Partial<Quota>, of: "agent" | "tenant"): Readonly<Quota> => {
      OBJECT(quota, path);
      return at(path, () => resolveOptions<Quota>(quota, defaults[of], rules));
    };
    const byName = (part: "agents" | "tenants", of: "agent" | "tenant") =>
      new Map(
        Object.entries(given[part] ?? {}).map(([owner, quota]) => {
          const path = `${name}.${part}.${owner}`;
          if (owner.split(".").length !== TOKENS[of])
            throw new TypeError(
              `${path}: ${of === "agent" ? "an agent is named <tenant>.<agent>" : "a tenant has no dot"}`,
            );
          return [owner, resolved(path, quota, of)];
        }),
      );
    this.#agent = resolved(`${name}.agent`, given.agent ?? {}, "agent");
    this.#tenant = resolved(`${name}.tenant`, given.tenant ?? {}, "tenant");
    this.#agents = byName("agents", "agent");
    this.#tenants = byName("tenants", "tenant");
  }

  ofTenant(tenant: string): Readonly<Quota> {
    return this.#tenants.get(tenant) ?? this.#tenant;
  }

  ofAgent(tenant: string, agent: string): Readonly<Quota> {
    return this.#agents.get(`${tenant}.${agent}`) ?? this.#agent;
  }
}

/** A problem is named with where it is. */
function at<T>(path: string, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}
