import type { IncomingHttpHeaders } from "node:http";
import { bearerOf } from "@membus/http";
import { DEFAULTS, isNamespace } from "@membus/protocol";
import { membusHeader } from "../membus-header.js";
import type { Identity, Tokens } from "../tokens.js";

export const MCP_ROOT = "/mcp";

/** Whose memory it is where neither the token nor the request names an agent. */
const AGENT = "mcp";

const NO_NAMESPACE = `behind ${MCP_ROOT} stands a namespace: 1..8 segments of at most 64 characters, without \`*\``;

/** Which memory is asked for. */
export interface Caller {
  readonly identity: Identity;
  readonly namespace: string;
}

/** Why none is. */
export interface CallerRefusal {
  readonly status: 400 | 401 | 404;
  readonly error: string;
}

/** The agent is that of the token or of `X-Membus-Agent`, the namespace stands in the path. */
export function callerOf(path: string, headers: IncomingHttpHeaders, tokens: Tokens): Caller | CallerRefusal {
  const token = bearerOf(headers);
  if (!tokens.knows(token)) {
    const error = token === "" ? "a token of the gateway is needed" : "the gateway does not know this token";
    return { status: 401, error };
  }
  const identity = tokens.identityOf(token, membusHeader(headers, "agent") ?? AGENT);
  if (identity === undefined) return { status: 400, error: "X-Membus-Agent is no name of an agent" };
  const namespace = namespaceOf(path);
  if (namespace === undefined) {
    return { status: 404, error: NO_NAMESPACE };
  }
  return { identity, namespace };
}

/** As a URL writes it; undefined for what is none. */
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
