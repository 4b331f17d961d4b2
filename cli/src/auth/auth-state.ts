import { agentToken, isToken, TIERS } from "@membus/protocol";
import { z } from "zod";

/** The public key of a user. */
const key = z.string().regex(/^U[A-Z2-7]{55}$/);
const limit = z.int().min(1);
const tiers = z.array(z.enum(TIERS));

/** Without `access` all tiers, by any subject. */
const AgentSchema = z.strictObject({
  key,
  access: z.strictObject({ tiers, read_only_tiers: tiers }).optional(),
});

/** Of the listed tenants; without a list, of all that are there. */
const GatewaySchema = z.strictObject({ key, tenants: z.array(z.string()).optional() });

/** Who may connect, by public keys: nothing in it is secret. `format` grows when an older membus would misread it. */
export const AuthStateSchema = z.strictObject({
  format: z.literal(1),
  prefix: z.string(),
  max_payload: limit,
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
export type AuthAgent = z.infer<typeof AgentSchema>;
/** The tiers that an agent may reach, and those that it may only read. */
export type TierAccess = NonNullable<AuthAgent["access"]>;

export interface TenantLimits {
  /** Connections of all its agents at once. */
  readonly connections_max: number;
  /** Subscriptions of these connections. */
  readonly subscriptions_max: number;
}

export const TENANT_LIMITS: TenantLimits = Object.freeze({
  connections_max: 1_000,
  subscriptions_max: 10_000,
});

/** A user, by the name of the file that has its seed, and how its replies are addressed. */
export interface AuthUser {
  readonly name: string;
  readonly inboxPrefix: string;
}

export const HOST_USER: AuthUser = Object.freeze({ name: "host", inboxPrefix: "_INBOX_host" });
export const OPERATOR_USER: AuthUser = Object.freeze({ name: "operator", inboxPrefix: "_INBOX_operator" });
/** All gateways: they share their sessions, and pass replies to each other. */
export const GATEWAY_USER: AuthUser = Object.freeze({ name: "gateway", inboxPrefix: "_INBOX_gateway" });
/** First tokens of the subjects on which gateways pass replies to each other. */
export const RELAY_PREFIX = "membus-gateway";

/** @throws {TypeError} for what is no tenant's or agent's name. */
export function agentUser(tenant: string, agent: string): AuthUser {
  const token = agentToken(agent);
  return { name: `${requireTenant(tenant)}.${token}`, inboxPrefix: `_INBOX_${token}` };
}

/** @throws {TypeError} for what is no tenant's name. */
export function requireTenant(tenant: string): string {
  if (!isToken(tenant)) throw new TypeError(`a tenant's name is 1..64 of A-Z a-z 0-9 _ -, not \`${tenant}\``);
  return tenant;
}
