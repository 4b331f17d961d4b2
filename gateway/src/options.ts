import { isLoopback } from "@membus/http";
import {
  booleanOption,
  DEFAULT_PREFIX,
  integerOption,
  isSubjectPrefix,
  isToken,
  resolveOptions,
} from "@membus/protocol";
import {
  type OpenAiOptions,
  type ResolvedOpenAiOptions,
  resolveOpenAiOptions,
} from "./openai/openai-options.js";

/** A token and the identity that it grants. */
export interface GatewayToken {
  /** SHA-256 of the token, 64 hex digits. The token itself is not stored. */
  readonly sha256: string;
  readonly tenant: string;
  /** Without an agent, the caller names its agent. */
  readonly agent?: string | undefined;
}

export interface GatewayOptions {
  /**
   * Address to listen on.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Port. 0 chooses a free port. 0..65535.
   *
   * @default 8765
   */
  readonly port?: number;
  /**
   * Accepted tokens, at most 10,000. Without tokens every caller may use any agent of `tenant`. This is for
   * development and only allowed on loopback.
   *
   * @default []
   */
  readonly tokens?: readonly GatewayToken[];
  /**
   * Tenant of callers without a token.
   *
   * @default "default"
   */
  readonly tenant?: string;
  /**
   * Host names of the gateway in addition to loopback. A request with another `Host` is refused, because a
   * foreign web page may have sent it. `["*"]` accepts any, for a proxy that checks `Host`.
   *
   * @default []
   */
  readonly hosts?: readonly string[];
  /**
   * Origins of web pages that may call the gateway, such as `https://app.example.org`.
   *
   * @default []
   */
  readonly origins?: readonly string[];
  /**
   * First tokens of every subject of the host.
   *
   * @default "a2e"
   */
  readonly prefix?: string;
  /**
   * First tokens of the subjects on which gateways pass replies to each other.
   *
   * @default "membus-gateway"
   */
  readonly relayPrefix?: string;
  /**
   * Time after which an unused session is deleted. Seconds, 60..31536000.
   *
   * @default 86400
   */
  readonly sessionIdleS?: number;
  /**
   * Number of sessions, 1..1000000. One more is answered 503.
   *
   * @default 100000
   */
  readonly sessionCountMax?: number;
  /**
   * Bytes that may wait for one client, of a stream or of an MCP answer. A slower client is disconnected, and
   * an A2E client loses its session. 1048576..2^32.
   *
   * @default 33554432
   */
  readonly streamBytesMax?: number;
  /**
   * Time that `stop` waits for open requests. Milliseconds, 1..600000.
   *
   * @default 10000
   */
  readonly drainTimeoutMs?: number;
  /** Serves the inspector page at `/`. Default: only on loopback. */
  readonly inspector?: boolean | undefined;
  /**
   * Allows the page to change and forget entries.
   *
   * @default false
   */
  readonly inspectorEdit?: boolean;
  /**
   * Serves memory to MCP clients at `/mcp`.
   *
   * @default true
   */
  readonly mcp?: boolean;
  /**
   * Offers MCP clients only tools that read.
   *
   * @default false
   */
  readonly mcpReadOnly?: boolean;
  /** A model server. The gateway adds memory for its clients. Without it `/v1` is not served. */
  readonly openai?: OpenAiOptions | undefined;
}

type OwnGatewayOptions = Omit<GatewayOptions, "openai" | "inspector">;

export type ResolvedGatewayOptions = Readonly<Required<OwnGatewayOptions>> & {
  readonly inspector: boolean;
  readonly openai?: ResolvedOpenAiOptions | undefined;
};

export const GATEWAY_DEFAULTS: Readonly<Required<OwnGatewayOptions>> = Object.freeze({
  host: "127.0.0.1",
  port: 8_765,
  tokens: Object.freeze([]),
  tenant: "default",
  hosts: Object.freeze([]),
  origins: Object.freeze([]),
  prefix: DEFAULT_PREFIX,
  relayPrefix: "membus-gateway",
  sessionIdleS: 86_400,
  sessionCountMax: 100_000,
  streamBytesMax: 32 * 1024 * 1024,
  drainTimeoutMs: 10_000,
  inspectorEdit: false,
  mcp: true,
  mcpReadOnly: false,
});

export const TOKENS_MAX = 10_000;

/** @throws {TypeError} for an unknown option, a value out of range, or missing tokens beyond loopback. */
export function resolveGatewayOptions({
  openai,
  inspector,
  ...input
}: GatewayOptions): ResolvedGatewayOptions {
  const options = resolveOptions(input, GATEWAY_DEFAULTS, {
    host: (value, name) =>
      requireThat(typeof value === "string" && value !== "", `${name} must be an address`),
    port: integerOption(0, 65_535),
    tokens: tokensOption,
    tenant: (value, name) =>
      requireThat(typeof value === "string" && isToken(value), `${name} must be 1..64 of A-Z a-z 0-9 _ -`),
    hosts: textsOption,
    origins: textsOption,
    prefix: prefixOption,
    relayPrefix: prefixOption,
    sessionIdleS: integerOption(60, 31_536_000),
    sessionCountMax: integerOption(1, 1_000_000),
    streamBytesMax: integerOption(1_048_576, 2 ** 32),
    drainTimeoutMs: integerOption(1, 600_000),
    inspectorEdit: booleanOption,
    mcp: booleanOption,
    mcpReadOnly: booleanOption,
  });
  const isOpen = options.tokens.length === 0 && !isLoopback(options.host);
  requireThat(
    !isOpen,
    `tokens are required to listen on ${options.host}, because any caller could act as any agent`,
  );
  requireThat(options.mcp || !options.mcpReadOnly, "mcpReadOnly requires mcp, which is off");
  return {
    ...options,
    inspector: inspectorOption(inspector, options),
    openai: openai === undefined ? undefined : resolveOpenAiOptions(openai),
  };
}

function inspectorOption(
  given: unknown,
  { host, inspectorEdit }: Pick<ResolvedGatewayOptions, "host" | "inspectorEdit">,
): boolean {
  const isServed = given ?? isLoopback(host);
  booleanOption(isServed, "inspector");
  requireThat(isServed === true || !inspectorEdit, "inspectorEdit requires the inspector, which is off");
  return isServed as boolean;
}

function tokensOption(value: unknown, name: string): void {
  const tokens: readonly unknown[] = Array.isArray(value) ? value : [];
  requireThat(
    Array.isArray(value) && tokens.length <= TOKENS_MAX,
    `${name} must be a list of at most 10000 tokens`,
  );
  for (const token of tokens as Partial<GatewayToken>[]) {
    const { sha256, tenant, agent } = token ?? {};
    requireThat(
      typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256),
      `${name}: sha256 must be 64 hex digits`,
    );
    requireThat(
      typeof tenant === "string" && isToken(tenant),
      `${name}: tenant must be 1..64 of A-Z a-z 0-9 _ -`,
    );
    requireThat(
      agent === undefined || (typeof agent === "string" && agent !== ""),
      `${name}: agent must be a non-empty string`,
    );
  }
}

function textsOption(value: unknown, name: string): void {
  const isList = Array.isArray(value) && value.every((text) => typeof text === "string" && text !== "");
  requireThat(isList, `${name} must be a list of non-empty strings`);
}

function prefixOption(value: unknown, name: string): void {
  const isPrefix = typeof value === "string" && isSubjectPrefix(value);
  requireThat(isPrefix, `${name} must be tokens of A-Z a-z 0-9 _ - with dots between`);
}

function requireThat(holds: boolean, message: string): asserts holds {
  if (!holds) throw new TypeError(message);
}
