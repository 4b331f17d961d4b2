import type { NewKey } from "./auth-folder.js";
import {
  type AuthState,
  type AuthUser,
  agentUser,
  HOST_USER,
  OPERATOR_USER,
  requireTenant,
  TENANT_LIMITS,
  type TenantLimits,
} from "./auth-state.js";

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
    tenants: state?.tenants ?? {},
  };
}

/** With a tenant; with the limits that are given, of one that is there the others stay. */
export function withTenant(state: AuthState, name: string, limits: Partial<TenantLimits>): AuthState {
  const isThere = Object.hasOwn(state.tenants, requireTenant(name));
  const former = isThere ? state.tenants[name]! : { ...TENANT_LIMITS, agents: {} };
  return { ...state, tenants: { ...state.tenants, [name]: { ...former, ...limits } } };
}

/** With an agent of a tenant that is there; one that is there keeps its key. */
export async function withAgent(
  state: AuthState,
  newKey: NewKey,
  tenant: string,
  agent: string,
): Promise<AuthState> {
  const user = agentUser(tenant, agent);
  const agents = agentsOf(state, tenant);
  const key = Object.hasOwn(agents, agent) ? agents[agent]! : await newKey(user);
  return withAgentKey(state, tenant, agent, key);
}

/** With a new key for one that is there; the former is refused from then on. */
export async function rotated(
  state: AuthState,
  newKey: NewKey,
  who: string,
  agent: string | undefined,
): Promise<{ readonly state: AuthState; readonly user: AuthUser }> {
  if (agent === undefined) {
    const user = [HOST_USER, OPERATOR_USER].find(({ name }) => name === who);
    if (user === undefined) throw new TypeError("rotate `host`, `operator`, or a tenant and an agent of it");
    return { user, state: { ...state, [user.name]: await newKey(user) } };
  }
  const user = agentUser(who, agent);
  if (!Object.hasOwn(agentsOf(state, who), agent)) throw new TypeError(`${who} has no agent \`${agent}\``);
  return { user, state: withAgentKey(state, who, agent, await newKey(user)) };
}

function agentsOf({ tenants }: AuthState, tenant: string): Readonly<Record<string, string>> {
  if (!Object.hasOwn(tenants, tenant)) {
    throw new TypeError(`there is no tenant \`${tenant}\`: \`membus auth add-tenant ${tenant}\``);
  }
  return tenants[tenant]!.agents;
}

function withAgentKey(state: AuthState, tenant: string, agent: string, key: string): AuthState {
  const { [tenant]: former, ...others } = state.tenants;
  const agents = { ...former!.agents, [agent]: key };
  return { ...state, tenants: { ...others, [tenant]: { ...former!, agents } } };
}
