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

/** Who may speak for whom. */
export interface GatewayToken {
  /** SHA-256 of the token, 64 hex digits: the token itself is kept nowhere. */
  readonly sha256: string;
  readonly tenant: string;
  /** Without one, whoever has the token names its agent itself. */
  readonly agent?: string | undefined;
}

export interface GatewayOptions {
  /**
   * Address to listen on.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * 0: any free one. 0..65535.
   * @default 8765
   */
  readonly port?: number;
  /**
   * Tokens that are let in, at most 10,000. Without any, everybody is, as any agent of `tenant`, which is for development: only
   * on loopback.
   * @default []
   */
  readonly tokens?: readonly GatewayToken[];
  /**
   * The tenant of those that need no token.
   * @default "default"
   */
  readonly tenant?: string;
  /**
   * Names, besides those of loopback, by which clients may call the gateway: a request with another `Host` is refused, as a
   * page of a stranger might have sent it. `["*"]`: any, where a proxy has looked.
   * @default []
   */
  readonly hosts?: readonly string[];
  /**
   * Origins of pages that may call it, such as `https://app.example.org`.
   * @default []
   */
  readonly origins?: readonly string[];
  /**
   * First tokens of every subject of the host.
   * @default "a2e"
   */
  readonly prefix?: string;
  /**
   * First tokens of the subjects on which gateways pass replies to each other.
   * @default "membus-gateway"
   */
  readonly relayPrefix?: string;
  /**
   * How long a session that nobody uses is kept. Seconds, 60..31536000.
   * @default 86400
   */
  readonly sessionIdleS?: number;
  /**
   * Sessions at once, 1..1000000. Further ones are answered 503.
   * @default 100000
   */
  readonly sessionCountMax?: number;
  /**
   * Bytes that wait for one reader to take them, of a stream or an answer of MCP. One that is slower is cut off, and of A2E loses
   * its session. 1048576..2^32.
   * @default 33554432
   */
  readonly streamBytesMax?: number;
  /**
   * How long `stop` waits for what is under way. Milliseconds, 1..600000.
   * @default 10000
   */
  readonly drainTimeoutMs?: number;
  /** Whether the page at `/` shows what is remembered. Absent: where it listens on loopback. */
  readonly inspector?: boolean | undefined;
  /**
   * Whether the page may also change and forget entries.
   * @default false
   */
  readonly inspectorEdit?: boolean;
  /**
   * Whether clients of the Model Context Protocol find a memory at `/mcp`.
   * @default true
   */
  readonly mcp?: boolean;
  /**
   * Whether they are offered no tool that changes something.
   * @default false
   */
  readonly mcpReadOnly?: boolean;
  /** A model server that gets a memory. Absent: there is nothing at `/v1`. */
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

/** @throws {TypeError} for an unknown option, a value out of range, or an open door: no tokens beyond loopback. */
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
  requireThat(!isOpen, `tokens are needed to listen on ${options.host}: anybody could speak as any agent`);
  requireThat(options.mcp || !options.mcpReadOnly, "mcpReadOnly is of mcp, which is not served");
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
  requireThat(isServed === true || !inspectorEdit, "inspectorEdit is of the inspector, which is not served");
  return isServed as boolean;
}

function tokensOption(value: unknown, name: string): void {
  const tokens: readonly unknown[] = Array.isArray(value) ? value : [];
  requireThat(Array.isArray(value) && tokens.length <= TOKENS_MAX, `${name} must be a list of at most 10000`);
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
      `${name}: agent must be a name`,
    );
  }
}

function textsOption(value: unknown, name: string): void {
  const isList = Array.isArray(value) && value.every((text) => typeof text === "string" && text !== "");
  requireThat(isList, `${name} must be a list of texts`);
}

function prefixOption(value: unknown, name: string): void {
  const isPrefix = typeof value === "string" && isSubjectPrefix(value);
  requireThat(isPrefix, `${name} must be tokens of A-Z a-z 0-9 _ - with dots between`);
}

function requireThat(holds: boolean, message: string): asserts holds {
  if (!holds) throw new TypeError(message);
}
