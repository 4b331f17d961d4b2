import type { IncomingHttpHeaders } from "node:http";
import { type AccessGrant, type AccessRefusal, bearerOf, type ProtectedResource } from "@membus/http";
import { DEFAULTS, isAgentName, isNamespace, isToken } from "@membus/protocol";
import { membusHeader } from "../membus-header.js";
import type { Identity, Tokens } from "../tokens.js";

export const MCP_ROOT = "/mcp";

/** Agent of requests that name none. */
const AGENT = "mcp";

const NO_NAMESPACE = `invalid namespace after ${MCP_ROOT}/: use 1..8 segments of at most 64 characters, without \`*\``;

/** The memory that a request uses. */
export interface Caller {
  readonly identity: Identity;
  /** Unix seconds at which the access of the caller ends. Absent for a token of the gateway. */
  readonly expiresAt?: number | undefined;
  readonly namespace: string;
}

/** Why a request is rejected. */
export interface CallerRefusal {
  readonly status: 400 | 401 | 403 | 404 | 503;
  readonly error: string;
  /** The refusal of an access token. */
  readonly access?: AccessRefusal;
}

export interface CallerChecks {
  readonly tokens: Tokens;
  /** Checks access tokens. */
  readonly resource?: ProtectedResource | undefined;
  /** Tenant of access tokens that name none. */
  readonly tenant: string;
}

/**
 * Determines the memory of a request: the agent from the token or `X-Membus-Agent`, the namespace from the
 * path.
 */
export async function callerOf(
  path: string,
  headers: IncomingHttpHeaders,
  checks: CallerChecks,
): Promise<Caller | CallerRefusal> {
  const access = await accessOf(headers, checks);
  if ("status" in access) return access;
  const namespace = namespaceOf(path);
  return namespace === undefined ? { status: 404, error: NO_NAMESPACE } : { ...access, namespace };
}

type Access = Omit<Caller, "namespace">;

async function accessOf(
  headers: IncomingHttpHeaders,
  { tokens, resource, tenant }: CallerChecks,
): Promise<Access | CallerRefusal> {
  const token = bearerOf(headers);
  if (tokens.knows(token)) {
    const identity = tokens.identityOf(token, membusHeader(headers, "agent") ?? AGENT);
    return identity ? { identity } : { status: 400, error: "X-Membus-Agent is not a valid agent name" };
  }
  if (resource !== undefined) return granted(await resource.check(token), tenant);
  const error = token === "" ? "a token of the gateway is needed" : "the gateway does not know this token";
  return { status: 401, error };
}

/** Returns the access of an access token. `X-Membus-Agent` cannot replace its identity. */
function granted(access: AccessGrant | AccessRefusal, openTenant: string): Access | CallerRefusal {
  if ("status" in access) return { status: access.status, error: access.reason, access };
  const { agent, tenant = openTenant, expiresAt } = access;
  if (isAgentName(agent) && isToken(tenant)) return { identity: { tenant, agent }, expiresAt };
  return { status: 403, error: "the token names an agent or a tenant that membus does not allow" };
}

/** Decodes the namespace of a URL. Returns undefined if it is invalid. */
function namespaceOf(path: string): string | undefined {
  if (path === MCP_ROOT) return DEFAULTS.namespace;
  try {
    const namespace = decodeURIComponent(path.slice(MCP_ROOT.length + 1));
    return isNamespace(namespace) ? namespace : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
