import type { ExistingConnectionOptions, NatsBusOptions, natsBusFromConnection } from "@membus/bus";
import {
  type Bus,
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
import { checkIdentity, type Identity } from "./identity.js";

export type NatsConnection = Parameters<typeof natsBusFromConnection>[0];

export interface ClientOptions {
  /** Whose memory this is. What a NATS server lets a connection claim is up to the server's configuration. */
  readonly agent: string;
  /**
   * The group of agents that share the semantic tier: 1..64 of `A-Z a-z 0-9 _ -`.
   * @default "default"
   */
  readonly tenant?: string;
  /**
   * The session that the working tier belongs to, at most 128 characters; "" is a session like any other.
   * @default ""
   */
  readonly session?: string;
  /**
   * Where entries are stored and, unless a request names another, looked for: `a/b/c`, 1..8 segments.
   * @default "default"
   */
  readonly namespace?: string;
  /**
   * First tokens of every subject.
   * @default "a2e"
   */
  readonly prefix?: string;
  /**
   * How requests are written. Those that hold or ask for vectors are always MessagePack.
   * @default "json"
   */
  readonly encoding?: Encoding;
  /**
   * Whether a request that is about one tier names it in its subject, `...memory.store.semantic.req`, as an agent needs whom
   * the NATS server lets reach some tiers alone. One that names no tier goes to the subject without.
   * @default false
   */
  readonly tierSubjects?: boolean;
  /**
   * How long one attempt waits for its answer; also the host's deadline. Milliseconds, integer 1..600000.
   * @default 5000
   */
  readonly timeoutMs?: number;
  /**
   * How long a request that failed for a passing reason is tried again, counted from its first attempt.
   * Milliseconds, integer 0..86400000; 0: never again.
   * @default 30000
   */
  readonly retryTimeoutMs?: number;
}

interface NatsTarget extends NatsBusOptions {
  readonly connection?: never;
  readonly bus?: never;
}

interface ConnectionTarget extends ExistingConnectionOptions {
  /** A connection of `@nats-io/transport-node` that stays its maker's. */
  readonly connection: NatsConnection;
  readonly bus?: never;
}

interface BusTarget {
  /** The bus of a host in this process. It stays its maker's. */
  readonly bus: Bus;
  readonly connection?: never;
}

/** Where the host is: by URL (with the options of `connectNatsBus`), on a connection, or on a bus. */
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

/** By name, so that a mistyped option is found whatever the target; the compiler sees to it that none is missing. */
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
 * The client's own options, checked, and the rest, which says where to connect.
 * @throws {TypeError} for what is no object, an unknown option (naming the nearest known one) or a value out of range.
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
