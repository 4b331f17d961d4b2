import { agentToken, isToken, TIERS } from "@membus/protocol";
import { z } from "zod";

/** Public key of a user. */
const key = z.string().regex(/^U[A-Z2-7]{55}$/);
const limit = z.int().min(1);
const tiers = z.array(z.enum(TIERS));

/** Without `access`, all tiers are allowed on any subject. */
const AgentSchema = z.strictObject({
  key,
  access: z.strictObject({ tiers, read_only_tiers: tiers }).optional(),
});

/** `tenants` lists the tenants that the gateway may access. If it is absent, the gateway may access all. */
const GatewaySchema = z.strictObject({ key, tenants: z.array(z.string()).optional() });

/**
 * Users that may connect, by public key. The file contains no secrets. `format` increases when an older membus
 * would misread it.
 */
export const AuthStateSchema = z.strictObject({
  format: z.literal(1),
  prefix: z.string(),
  max_payload: limit,
  /** Name and number of shards, if the hosts are a cluster. */
  cluster: z.strictObject({ name: z.string(), shards: z.int().min(1).max(256) }).optional(),
  host: key,
  operator: key,
  gateway: GatewaySchema.optional(),
  tenants: z.record(
    z.string(),
    z.strictObject({
      connections_max: limit,
      subscriptions_max: limit,
      agents: z.record(z.string(), AgentSchema),
    }),
  ),
});

export type AuthState = z.infer<typeof AuthStateSchema>;

export type AuthGateway = z.infer<typeof GatewaySchema>;
export type AuthCluster = NonNullable<AuthState["cluster"]>;
export type AuthAgent = z.infer<typeof AgentSchema>;
/** Tiers that an agent may use, and tiers that it may only read. */
export type TierAccess = NonNullable<AuthAgent["access"]>;

export interface TenantLimits {
  /** Maximum number of connections of all agents of the tenant. */
  readonly connections_max: number;
  /** Maximum number of subscriptions on these connections. */
  readonly subscriptions_max: number;
}

export const TENANT_LIMITS: TenantLimits = Object.freeze({
  connections_max: 1_000,
  subscriptions_max: 10_000,
});

/** A user: the name of its seed file, and the prefix of its reply subjects. */
export interface AuthUser {
  readonly name: string;
  readonly inboxPrefix: string;
}

export const HOST_USER: AuthUser = Object.freeze({ name: "host", inboxPrefix: "_INBOX_host" });
export const OPERATOR_USER: AuthUser = Object.freeze({ name: "operator", inboxPrefix: "_INBOX_operator" });
/** User of all gateways. They share sessions and relay replies to each other. */
export const GATEWAY_USER: AuthUser = Object.freeze({ name: "gateway", inboxPrefix: "_INBOX_gateway" });
/** First tokens of the subjects on which gateways relay replies to each other. */
export const RELAY_PREFIX = "membus-gateway";

/** @throws {TypeError} for an invalid tenant or agent name. */
export function agentUser(tenant: string, agent: string): AuthUser {
  const token = agentToken(agent);
  return { name: `${checkTenantName(tenant)}.${token}`, inboxPrefix: `_INBOX_${token}` };
}

/** @throws {TypeError} for an invalid tenant name. */
export function checkTenantName(tenant: string): string {
  if (!isToken(tenant))
    throw new TypeError(`a tenant name must be 1..64 characters of A-Z a-z 0-9 _ -, got \`${tenant}\``);
  return tenant;
}
