import { isLoopback, OAuthOptionsSchema } from "@membus/http";
import {
  DEFAULT_PREFIX,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { OpenAiOptionsSchema } from "./openai/openai-options.js";

export const TOKENS_MAX = 10_000;

const GatewayTokenSchema = optionSet({
  /** SHA-256 of the token, 64 hex digits. The token itself is not stored. */
  sha256: option.value<string>(
    (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value),
    "must be 64 hex digits",
  ),
  tenant: option.token(),
  /** Without an agent, the caller names its agent. */
  agent: option.text().optional(),
});

/** A token and the identity that it grants. */
export interface GatewayToken extends OptionsOf<typeof GatewayTokenSchema> {}

export const GatewayOptionsSchema = optionSet({
  /** Address to listen on. */
  host: option.text().default("127.0.0.1"),
  /** Port. 0 chooses a free port. */
  port: option.integer(0, 65_535).default(8_765),
  /**
   * Accepted tokens. Without tokens every caller may use any agent of `tenant`. This is for development and
   * only allowed on loopback.
   */
  tokens: option.list(GatewayTokenSchema, 0, TOKENS_MAX).default([]),
  /** Tenant of callers without a token. */
  tenant: option.token().default("default"),
  /**
   * Host names of the gateway in addition to loopback. A request with another `Host` is refused, because a
   * foreign web page may have sent it. `["*"]` accepts any, for a proxy that checks `Host`.
   */
  hosts: option.list(option.text()).default([]),
  /** Origins of web pages that may call the gateway, such as `https://app.example.org`. */
  origins: option.list(option.text()).default([]),
  /** First tokens of every subject of the host. */
  prefix: option.subjectPrefix().default(DEFAULT_PREFIX),
  /** First tokens of the subjects on which gateways pass replies to each other. */
  relayPrefix: option.subjectPrefix().default("membus-gateway"),
  /** Seconds after which an unused session is deleted. */
  sessionIdleS: option.integer(60, 31_536_000).default(86_400),
  /** Number of sessions. One more is answered 503. */
  sessionCountMax: option.integer(1, 1_000_000).default(100_000),
  /**
   * Bytes that may wait for one client, of a stream or of an MCP answer. A slower client is disconnected, and
   * an A2E client loses its session.
   */
  streamBytesMax: option.integer(1_048_576, 2 ** 32).default(32 * 1024 * 1024),
  /** Milliseconds that `stop` waits for open requests. */
  drainTimeoutMs: option.integer(1, 600_000).default(10_000),
  /** Serves the inspector page at `/`. Default: only on loopback. */
  inspector: option.boolean().optional(),
  /** Allows the page to change and forget entries. */
  inspectorEdit: option.boolean().default(false),
  /** Serves memory to MCP clients at `/mcp`. */
  mcp: option.boolean().default(true),
  /** Offers MCP clients only tools that read. */
  mcpReadOnly: option.boolean().default(false),
  /**
   * Accepts access tokens of an authorization server at `/mcp`, in addition to `tokens`. Every other path then
   * needs one of `tokens`.
   */
  oauth: OAuthOptionsSchema.optional(),
  /** A model server. The gateway adds memory for its clients. Without it `/v1` is not served. */
  openai: OpenAiOptionsSchema.optional(),
});

export interface GatewayOptions extends OptionsOf<typeof GatewayOptionsSchema> {}
export interface ResolvedGatewayOptions extends ResolvedOptionsOf<typeof GatewayOptionsSchema> {
  readonly inspector: boolean;
}

export const GATEWAY_DEFAULTS = parseOptions(GatewayOptionsSchema, {});

/** @throws {TypeError} for an unknown option, a value out of range, or missing tokens beyond loopback. */
export function resolveGatewayOptions(input: GatewayOptions): ResolvedGatewayOptions {
  const options = parseOptions(GatewayOptionsSchema, input);
  const { host, tokens, oauth, mcp, mcpReadOnly, inspectorEdit } = options;
  const canInspect = tokens.length > 0 || oauth === undefined;
  const { inspector = isLoopback(host) && canInspect } = options;
  requireThat(
    tokens.length > 0 || oauth !== undefined || isLoopback(host),
    `tokens are required to listen on ${host}, because any caller could act as any agent`,
  );
  requireThat(mcp || !mcpReadOnly, "mcpReadOnly requires mcp, which is off");
  requireThat(mcp || oauth === undefined, "oauth requires mcp, which is off");
  requireThat(canInspect || !inspector, "with oauth, the inspector requires tokens");
  requireThat(inspector || !inspectorEdit, "inspectorEdit requires the inspector, which is off");
  return { ...options, inspector };
}

function requireThat(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(message);
}
