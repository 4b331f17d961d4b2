import type { ExistingConnectionOptions, NatsBusOptions, natsBusFromConnection } from "@membus/bus";
import {
  booleanOption,
  checkOptions,
  choiceOption,
  DEFAULT_PREFIX,
  DEFAULTS,
  didYouMean,
  type Encoding,
  integerOption,
  LIMITS,
  type OptionRule,
  resolveOptions,
} from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { checkIdentity, type Identity } from "./identity.js";

export type NatsConnection = Parameters<typeof natsBusFromConnection>[0];

export interface ClientOptions {
  /** Name of the agent. The configuration of the NATS server decides which names a connection may use. */
  readonly agent: string;
  /**
   * Group of agents that share the semantic tier: 1..64 of `A-Z a-z 0-9 _ -`.
   * @default "default"
   */
  readonly tenant?: string;
  /**
   * Session of the working tier, at most 128 characters. "" is a valid session.
   * @default ""
   */
  readonly session?: string;
  /**
   * Namespace to store entries in, and to search unless a request names another: `a/b/c`, 1..8 segments.
   * @default "default"
   */
  readonly namespace?: string;
  /**
   * First tokens of every subject.
   * @default "a2e"
   */
  readonly prefix?: string;
  /**
   * Encoding of requests. Requests that contain or return vectors always use MessagePack.
   * @default "json"
   */
  readonly encoding?: Encoding;
  /**
   * Whether a request for a single tier names the tier in its subject, `...memory.store.semantic.req`. Set it
   * if the NATS server limits the agent to some tiers. Other requests use the subject without a tier.
   * @default false
   */
  readonly tierSubjects?: boolean;
  /**
   * Time that one attempt waits for its reply, also the host's deadline. Milliseconds, integer 1..600000.
   * @default 5000
   */
  readonly timeoutMs?: number;
  /**
   * Time during which a request with a retryable error is retried, from its first attempt. Milliseconds,
   * integer 0..86400000. 0 disables retries.
   * @default 30000
   */
  readonly retryTimeoutMs?: number;
}

interface NatsTarget extends NatsBusOptions {
  readonly connection?: never;
  readonly bus?: never;
}

interface ConnectionTarget extends ExistingConnectionOptions {
  /** Connection of `@nats-io/transport-node`. The client does not close it. */
  readonly connection: NatsConnection;
  readonly bus?: never;
}

interface BusTarget {
  /** Bus of a host in this process. The client does not close it. */
  readonly bus: Bus;
  readonly connection?: never;
}

/** Location of the host: a URL (with the options of `connectNatsBus`), a connection, or a bus. */
export type Target = NatsTarget | ConnectionTarget | BusTarget;

export type ConnectOptions = ClientOptions & Target;

export interface ResolvedClientOptions extends Identity {
  readonly encoding: Encoding;
  readonly tierSubjects: boolean;
  readonly timeoutMs: number;
  readonly retryTimeoutMs: number;
}

export const CLIENT_DEFAULTS = Object.freeze({
  tenant: "default",
  session: "",
  namespace: DEFAULTS.namespace,
  prefix: DEFAULT_PREFIX,
  encoding: "json",
  tierSubjects: false,
  timeoutMs: DEFAULTS.deadlineMs,
  retryTimeoutMs: 30_000,
} as const);

export const timeoutOption = integerOption(1, LIMITS.deadlineMs);
export const retryTimeoutOption = integerOption(0, 86_400_000);

const checkedAsIdentity: OptionRule = () => {};

const CLIENT_RULES = {
  agent: checkedAsIdentity,
  tenant: checkedAsIdentity,
  session: checkedAsIdentity,
  namespace: checkedAsIdentity,
  prefix: checkedAsIdentity,
  encoding: choiceOption("json", "msgpack"),
  tierSubjects: booleanOption,
  timeoutMs: timeoutOption,
  retryTimeoutMs: retryTimeoutOption,
};

/**
 * Names of the NATS options, to detect mistyped options for any target. The type ensures that the list is
 * complete.
 */
const NATS_OPTIONS: Record<keyof NatsBusOptions, true> = {
  servers: true,
  name: true,
  user: true,
  pass: true,
  token: true,
  creds: true,
  nkeySeed: true,
  tls: true,
  inboxPrefix: true,
  connectTimeoutMs: true,
  waitOnFirstConnect: true,
  closeTimeoutMs: true,
};

const KNOWN = [...Object.keys(CLIENT_RULES), ...Object.keys(NATS_OPTIONS), "connection", "bus"];

/**
 * Splits options into the client's own options, validated, and the connection target.
 *
 * @throws {TypeError} if `input` is not an object, an option is unknown (with the closest known name), or a
 * value is out of range.
 */
export function resolveClientOptions(input: ConnectOptions): {
  readonly client: ResolvedClientOptions;
  readonly target: Target;
} {
  checkOptions(input);
  const own: Record<string, unknown> = {};
  const target: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!KNOWN.includes(name)) throw new TypeError(`unknown option \`${name}\`${didYouMean(name, KNOWN)}`);
    if (value !== undefined) (Object.hasOwn(CLIENT_RULES, name) ? own : target)[name] = value;
  }
  const client = resolveOptions<ResolvedClientOptions>(own, { ...CLIENT_DEFAULTS, agent: "" }, CLIENT_RULES);
  checkIdentity(client);
  return { client, target: target as unknown as Target };
}
