import { DEFAULT_CLUSTER_NAME } from "../flags/cluster-flags.js";
import type { NewKey } from "./auth-folder.js";
import {
  type AuthAgent,
  type AuthGateway,
  type AuthState,
  type AuthUser,
  agentUser,
  checkTenantName,
  GATEWAY_USER,
  HOST_USER,
  OPERATOR_USER,
  TENANT_LIMITS,
  type TenantLimits,
  type TierAccess,
} from "./auth-state.js";
import { isRestricted } from "./tier-access.js";

interface ServerSettings {
  readonly prefix: string;
  /** Maximum message size in bytes. */
  readonly maxPayload?: number | undefined;
  /** Number of shards of a cluster. */
  readonly shards?: number | undefined;
  readonly clusterName?: string | undefined;
}

const MAX_PAYLOAD = 1024 * 1024;

/** Returns the state with a host and an operator. Existing keys and the prefix are kept. */
export async function initialised(
  state: AuthState | undefined,
  newKey: NewKey,
  { prefix, maxPayload, shards, clusterName }: ServerSettings,
): Promise<AuthState> {
  if (state !== undefined && state.prefix !== prefix) {
    throw new TypeError(
      `the prefix of this auth folder is \`${state.prefix}\` and cannot be changed to \`${prefix}\``,
    );
  }
  const name = clusterName ?? state?.cluster?.name ?? DEFAULT_CLUSTER_NAME;
  const cluster = shards === undefined ? state?.cluster : { name, shards };
  return {
    format: 1,
    prefix,
    max_payload: maxPayload ?? state?.max_payload ?? MAX_PAYLOAD,
    ...(cluster && { cluster }),
    host: state?.host ?? (await newKey(HOST_USER)),
    operator: state?.operator ?? (await newKey(OPERATOR_USER)),
    ...(state?.gateway && { gateway: state.gateway }),
    tenants: state?.tenants ?? {},
  };
}

/** Adds a tenant, or changes the given limits of an existing tenant. */
export function withTenant(state: AuthState, name: string, limits: Partial<TenantLimits>): AuthState {
  const isThere = Object.hasOwn(state.tenants, checkTenantName(name));
  const existing = isThere ? state.tenants[name]! : { ...TENANT_LIMITS, agents: {} };
  return { ...state, tenants: { ...state.tenants, [name]: { ...existing, ...limits } } };
}

/**
 * Adds an agent to an existing tenant. An existing agent keeps its key, and keeps its access if `access` is
 * undefined.
 */
export async function withAgent(
  state: AuthState,
  newKey: NewKey,
  [tenant, agent]: readonly [string, string],
  access: TierAccess | undefined,
): Promise<AuthState> {
  const user = agentUser(tenant, agent);
  const agents = agentsOf(state, tenant);
  const existing = Object.hasOwn(agents, agent) ? agents[agent]! : { key: await newKey(user) };
  const { key } = existing;
  const renewed = access === undefined ? existing : isRestricted(access) ? { key, access } : { key };
  return withAgents(state, tenant, { ...agents, [agent]: renewed });
}

/** Removes an agent. Its key is rejected from then on. */
export function withoutAgent(state: AuthState, tenant: string, agent: string): AuthState {
  const { [agent]: _, ...others } = agentsWith(state, tenant, agent);
  return withAgents(state, tenant, others);
}

/** Removes a tenant and all its agents. */
export function withoutTenant(state: AuthState, tenant: string): AuthState {
  agentsOf(state, tenant);
  const { [tenant]: _, ...tenants } = state.tenants;
  const { gateway } = state;
  if (gateway?.tenants === undefined) return { ...state, tenants };
  const listed = gateway.tenants.filter((name) => name !== tenant);
  return { ...state, gateway: { ...gateway, tenants: listed }, tenants };
}

/**
 * Adds a gateway for the listed tenants or for all. An existing gateway keeps its key, and keeps its tenants
 * if `tenants` is undefined.
 * @throws {TypeError} for an unknown tenant.
 */
export async function withGatewayUser(
  state: AuthState,
  newKey: NewKey,
  tenants: readonly string[] | "all" | undefined,
): Promise<AuthState> {
  const { key, tenants: existing } = state.gateway ?? { key: await newKey(GATEWAY_USER) };
  if (tenants === "all" || (tenants ?? existing) === undefined) return { ...state, gateway: { key } };
  const listed = [...new Set(tenants ?? existing)];
  for (const tenant of listed) agentsOf(state, tenant);
  return { ...state, gateway: { key, tenants: listed } };
}

/** Removes the gateway. Its key is rejected from then on. */
export function withoutGatewayUser(state: AuthState): AuthState {
  gatewayOf(state);
  const { gateway: _, ...others } = state;
  return others;
}

/** Replaces the key of an existing user. The old key is rejected from then on. */
export async function rotateKey(
  state: AuthState,
  newKey: NewKey,
  userOrTenant: string,
  agent: string | undefined,
): Promise<{ readonly state: AuthState; readonly user: AuthUser }> {
  if (agent === undefined) {
    if (userOrTenant === GATEWAY_USER.name) {
      const gateway = { ...gatewayOf(state), key: await newKey(GATEWAY_USER) };
      return { user: GATEWAY_USER, state: { ...state, gateway } };
    }
    const user = [HOST_USER, OPERATOR_USER].find(({ name }) => name === userOrTenant);
    if (user === undefined)
      throw new TypeError(
        "unknown user: rotate `host`, `operator`, `gateway`, or a tenant and one of its agents",
      );
    return { user, state: { ...state, [user.name]: await newKey(user) } };
  }
  const user = agentUser(userOrTenant, agent);
  const agents = agentsWith(state, userOrTenant, agent);
  const renewed = { ...agents[agent]!, key: await newKey(user) };
  return { user, state: withAgents(state, userOrTenant, { ...agents, [agent]: renewed }) };
}

/** @throws {TypeError} if there is no gateway. */
function gatewayOf({ gateway }: AuthState): AuthGateway {
  if (gateway === undefined)
    throw new TypeError("there is no gateway: add one with `membus auth add-gateway`");
  return gateway;
}

type Agents = Readonly<Record<string, AuthAgent>>;

/** @throws {TypeError} for an unknown agent. */
function agentsWith(state: AuthState, tenant: string, agent: string): Agents {
  const agents = agentsOf(state, tenant);
  if (!Object.hasOwn(agents, agent)) throw new TypeError(`tenant ${tenant} has no agent \`${agent}\``);
  return agents;
}

function agentsOf({ tenants }: AuthState, tenant: string): Agents {
  if (!Object.hasOwn(tenants, tenant)) {
    throw new TypeError(`unknown tenant \`${tenant}\`: add it with \`membus auth add-tenant ${tenant}\``);
  }
  return tenants[tenant]!.agents;
}

function withAgents(state: AuthState, tenant: string, agents: Agents): AuthState {
  return { ...state, tenants: { ...state.tenants, [tenant]: { ...state.tenants[tenant]!, agents } } };
}
