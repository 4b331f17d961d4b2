import type { IncomingHttpHeaders } from "node:http";
import { bearerOf } from "@membus/http";
import { DEFAULTS, isNamespace } from "@membus/protocol";
import { membusHeader } from "../membus-header.js";
import type { Identity, Tokens } from "../tokens.js";

export const MCP_ROOT = "/mcp";

/** Agent of requests that name none. */
const AGENT = "mcp";

const NO_NAMESPACE = `invalid namespace after ${MCP_ROOT}/: use 1..8 segments of at most 64 characters, without \`*\``;

/** The memory that a request uses. */
export interface Caller {
  readonly identity: Identity;
  readonly namespace: string;
}

/** Why a request is rejected. */
export interface CallerRefusal {
  readonly status: 400 | 401 | 404;
  readonly error: string;
}

/**
 * Determines the memory of a request: the agent from the token or `X-Membus-Agent`, the namespace from the
 * path.
 */
export function callerOf(path: string, headers: IncomingHttpHeaders, tokens: Tokens): Caller | CallerRefusal {
  const token = bearerOf(headers);
  if (!tokens.knows(token)) {
    const error = token === "" ? "a token of the gateway is needed" : "the gateway does not know this token";
    return { status: 401, error };
  }
  const identity = tokens.identityOf(token, membusHeader(headers, "agent") ?? AGENT);
  if (identity === undefined) return { status: 400, error: "X-Membus-Agent is not a valid agent name" };
  const namespace = namespaceOf(path);
  if (namespace === undefined) {
    return { status: 404, error: NO_NAMESPACE };
  }
  return { identity, namespace };
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
