import { isJsonObject } from "../json.js";
import { type OptionRule, resolveOptions } from "./resolve-options.js";

/** Quotas of agents and tenants. A quota by name replaces the general quota as a whole. */
export interface QuotaOptions<Quota> {
  readonly agent?: Quota | undefined;
  readonly tenant?: Quota | undefined;
  /** Quotas by `<tenant>.<agent>`, as in subjects. */
  readonly agents?: Readonly<Record<string, Quota>> | undefined;
  readonly tenants?: Readonly<Record<string, Quota>> | undefined;
}

/** Rules and defaults of the quotas. */
export interface QuotaDefinition<Quota extends object> {
  /** Name of the option, for error messages. */
  readonly name: string;
  readonly rules: { readonly [K in keyof Quota]-?: OptionRule };
  /** Default quotas of an agent and of a tenant. */
  readonly agent: Quota;
  readonly tenant: Quota;
}

const OBJECT: OptionRule = (value, name) => {
  if (value !== undefined && !isJsonObject(value)) throw new TypeError(`${name} must be an object`);
};
/** Number of dot-separated parts of a name. */
const TOKENS = { agent: 2, tenant: 1 };
const PARTS = { agent: OBJECT, tenant: OBJECT, agents: OBJECT, tenants: OBJECT };

/** Resolves the quota of an agent or tenant. */
export class QuotaTable<Quota extends object> {
  readonly #agent: Readonly<Quota>;
  readonly #tenant: Readonly<Quota>;
  readonly #agents: ReadonlyMap<string, Readonly<Quota>>;
  readonly #tenants: ReadonlyMap<string, Readonly<Quota>>;

  /** @throws {TypeError} for an unknown option or a value out of range. The message contains the path. */
  constructor(quotas: QuotaOptions<Partial<Quota>>, { name, rules, ...defaults }: QuotaDefinition<Quota>) {
    const given = withPath(name, () => resolveOptions<QuotaOptions<Partial<Quota>>>(quotas, {}, PARTS));
    const resolved = (path: string, quota: Partial<Quota>, of: "agent" | "tenant"): Readonly<Quota> => {
      OBJECT(quota, path);
      return withPath(path, () => resolveOptions<Quota>(quota, defaults[of], rules));
    };
    const byName = (part: "agents" | "tenants", of: "agent" | "tenant") =>
      new Map(
        Object.entries(given[part] ?? {}).map(([owner, quota]) => {
          const path = `${name}.${part}.${owner}`;
          if (owner.split(".").length !== TOKENS[of])
            throw new TypeError(
              `${path}: ${of === "agent" ? "an agent must be named <tenant>.<agent>" : "a tenant name must not contain a dot"}`,
            );
          return [owner, resolved(path, quota, of)];
        }),
      );
    this.#agent = resolved(`${name}.agent`, given.agent ?? {}, "agent");
    this.#tenant = resolved(`${name}.tenant`, given.tenant ?? {}, "tenant");
    this.#agents = byName("agents", "agent");
    this.#tenants = byName("tenants", "tenant");
  }

  forTenant(tenant: string): Readonly<Quota> {
    return this.#tenants.get(tenant) ?? this.#tenant;
  }

  forAgent(tenant: string, agent: string): Readonly<Quota> {
    return this.#agents.get(`${tenant}.${agent}`) ?? this.#agent;
  }
}

/** Calls `resolve` and prefixes its TypeError with `path`. */
function withPath<T>(path: string, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}
