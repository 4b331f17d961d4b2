import type { NewKey } from "./auth-folder.js";
import {
  type AuthAgent,
  type AuthGateway,
  type AuthState,
  type AuthUser,
  agentUser,
  GATEWAY_USER,
  HOST_USER,
  OPERATOR_USER,
  requireTenant,
  TENANT_LIMITS,
  type TenantLimits,
  type TierAccess,
} from "./auth-state.js";
import { isRestricted } from "./tier-access.js";

interface ServerSettings {
  readonly prefix: string;
  /** Bytes of a message. */
  readonly maxPayload?: number | undefined;
}

const MAX_PAYLOAD = 1024 * 1024;

/** A host and an operator; those that are there keep their keys, and the prefix stays. */
export async function initialised(
  state: AuthState | undefined,
  newKey: NewKey,
  { prefix, maxPayload }: ServerSettings,
): Promise<AuthState> {
  if (state !== undefined && state.prefix !== prefix) {
    throw new TypeError(`the subjects of this folder begin with \`${state.prefix}\`, not \`${prefix}\``);
  }
  return {
    format: 1,
    prefix,
    max_payload: maxPayload ?? state?.max_payload ?? MAX_PAYLOAD,
    host: state?.host ?? (await newKey(HOST_USER)),
    operator: state?.operator ?? (await newKey(OPERATOR_USER)),
    ...(state?.gateway && { gateway: state.gateway }),
    tenants: state?.tenants ?? {},
  };
}

/** With a tenant; with the limits that are given, of one that is there the others stay. */
export function withTenant(state: AuthState, name: string, limits: Partial<TenantLimits>): AuthState {
  const isThere = Object.hasOwn(state.tenants, requireTenant(name));
  const former = isThere ? state.tenants[name]! : { ...TENANT_LIMITS, agents: {} };
  return { ...state, tenants: { ...state.tenants, [name]: { ...former, ...limits } } };
}

/** With an agent of a tenant that is there; one that is there keeps its key, and without `access` the access it has. */
export async function withAgent(
  state: AuthState,
  newKey: NewKey,
  [tenant, agent]: readonly [string, string],
  access: TierAccess | undefined,
): Promise<AuthState> {
  const user = agentUser(tenant, agent);
  const agents = agentsOf(state, tenant);
  const former = Object.hasOwn(agents, agent) ? agents[agent]! : { key: await newKey(user) };
  const { key } = former;
  const renewed = access === undefined ? former : isRestricted(access) ? { key, access } : { key };
  return withAgents(state, tenant, { ...agents, [agent]: renewed });
}

/** Without an agent, whose key is refused from then on. */
export function withoutAgent(state: AuthState, tenant: string, agent: string): AuthState {
  const { [agent]: _, ...others } = agentsWith(state, tenant, agent);
  return withAgents(state, tenant, others);
}

/** Without a tenant and all of its agents. */
export function withoutTenant(state: AuthState, tenant: string): AuthState {
  agentsOf(state, tenant);
  const { [tenant]: _, ...tenants } = state.tenants;
  const { gateway } = state;
  if (gateway?.tenants === undefined) return { ...state, tenants };
  const listed = gateway.tenants.filter((name) => name !== tenant);
  return { ...state, gateway: { ...gateway, tenants: listed }, tenants };
}

/**
 * With a gateway for the tenants, or for all; one that is there keeps its key, and with undefined its tenants.
 * @throws {TypeError} for a tenant that is not there.
 */
export async function withGatewayUser(
  state: AuthState,
  newKey: NewKey,
  tenants: readonly string[] | "all" | undefined,
): Promise<AuthState> {
  const { key, tenants: former } = state.gateway ?? { key: await newKey(GATEWAY_USER) };
  if (tenants === "all" || (tenants ?? former) === undefined) return { ...state, gateway: { key } };
  const listed = [...new Set(tenants ?? former)];
  for (const tenant of listed) agentsOf(state, tenant);
  return { ...state, gateway: { key, tenants: listed } };
}

/** Without a gateway, whose key is refused from then on. */
export function withoutGatewayUser(state: AuthState): AuthState {
  gatewayOf(state);
  const { gateway: _, ...others } = state;
  return others;
}

/** With a new key for one that is there; the former is refused from then on. */
export async function rotated(
  state: AuthState,
  newKey: NewKey,
  who: string,
  agent: string | undefined,
): Promise<{ readonly state: AuthState; readonly user: AuthUser }> {
  if (agent === undefined) {
    if (who === GATEWAY_USER.name) {
      const gateway = { ...gatewayOf(state), key: await newKey(GATEWAY_USER) };
      return { user: GATEWAY_USER, state: { ...state, gateway } };
    }
    const user = [HOST_USER, OPERATOR_USER].find(({ name }) => name === who);
    if (user === undefined)
      throw new TypeError("rotate `host`, `operator`, `gateway`, or a tenant and an agent of it");
    return { user, state: { ...state, [user.name]: await newKey(user) } };
  }
  const user = agentUser(who, agent);
  const agents = agentsWith(state, who, agent);
  const renewed = { ...agents[agent]!, key: await newKey(user) };
  return { user, state: withAgents(state, who, { ...agents, [agent]: renewed }) };
}

/** @throws {TypeError} where there is none. */
function gatewayOf({ gateway }: AuthState): AuthGateway {
  if (gateway === undefined) throw new TypeError("there is no gateway: `membus auth add-gateway`");
  return gateway;
}

type Agents = Readonly<Record<string, AuthAgent>>;

/** @throws {TypeError} for an agent that is not there. */
function agentsWith(state: AuthState, tenant: string, agent: string): Agents {
  const agents = agentsOf(state, tenant);
  if (!Object.hasOwn(agents, agent)) throw new TypeError(`${tenant} has no agent \`${agent}\``);
  return agents;
}

function agentsOf({ tenants }: AuthState, tenant: string): Agents {
  if (!Object.hasOwn(tenants, tenant)) {
    throw new TypeError(`there is no tenant \`${tenant}\`: \`membus auth add-tenant ${tenant}\``);
  }
  return tenants[tenant]!.agents;
}

function withAgents(state: AuthState, tenant: string, agents: Agents): AuthState {
  return { ...state, tenants: { ...state.tenants, [tenant]: { ...state.tenants[tenant]!, agents } } };
}
