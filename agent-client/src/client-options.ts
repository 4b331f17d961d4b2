import {
  type ExistingConnectionOptions,
  type NatsBusOptions,
  NatsBusOptionsSchema,
  type natsBusFromConnection,
} from "@membus/bus";
import {
  DEFAULT_PREFIX,
  DEFAULTS,
  LIMITS,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { checkIdentity } from "./identity.js";

export type NatsConnection = Parameters<typeof natsBusFromConnection>[0];

export const TimeoutSchema = option.integer(1, LIMITS.deadlineMs);
export const RetryTimeoutSchema = option.integer(0, 86_400_000);

/** A part of the identity. `checkIdentity` also validates its characters. */
const IdentityPartSchema = option.value<string>(
  (value) => typeof value === "string",
  (value) => `must be a string, got ${String(value)}`,
);

export const ClientOptionsSchema = optionSet({
  /** Name of the agent. The configuration of the NATS server decides which names a connection may use. */
  agent: IdentityPartSchema,
  /** Group of agents that share the semantic tier: 1..64 of `A-Z a-z 0-9 _ -`. */
  tenant: IdentityPartSchema.default("default"),
  /** Session of the working tier, at most 128 characters. "" is a valid session. */
  session: IdentityPartSchema.default(""),
  /** Namespace to store entries in, and to search unless a request names another: `a/b/c`, 1..8 segments. */
  namespace: IdentityPartSchema.default(DEFAULTS.namespace),
  /** First tokens of every subject. */
  prefix: IdentityPartSchema.default(DEFAULT_PREFIX),
  /** Encoding of requests. Requests that contain or return vectors always use MessagePack. */
  encoding: option.choice("json", "msgpack").default("json"),
  /**
   * Whether a request for a single tier names the tier in its subject, `...memory.store.semantic.req`. Set it
   * if the NATS server limits the agent to some tiers. Other requests use the subject without a tier.
   */
  tierSubjects: option.boolean().default(false),
  /** Time that one attempt waits for its reply, also the host's deadline. Milliseconds. */
  timeoutMs: TimeoutSchema.default(DEFAULTS.deadlineMs),
  /**
   * Time during which a request with a retryable error is retried, from its first attempt. Milliseconds. 0
   * disables retries.
   */
  retryTimeoutMs: RetryTimeoutSchema.default(30_000),
});

export interface ClientOptions extends OptionsOf<typeof ClientOptionsSchema> {}
export interface ResolvedClientOptions extends ResolvedOptionsOf<typeof ClientOptionsSchema> {}

export const CLIENT_DEFAULTS = parseOptions(ClientOptionsSchema.omit({ agent: true }), {});

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

/** An option of the target. `openBus` and the bus validate it. */
const TargetOptionSchema = option.value<unknown>(() => true, "").optional();

/** Options of every target, to detect mistyped ones for any target. */
const TARGET_OPTIONS = Object.fromEntries(
  [...Object.keys(NatsBusOptionsSchema.shape), "connection", "bus"].map((name) => [name, TargetOptionSchema]),
) as Record<keyof NatsBusOptions | "connection" | "bus", typeof TargetOptionSchema>;

const ConnectOptionsSchema = optionSet({ ...ClientOptionsSchema.shape, ...TARGET_OPTIONS });

/**
 * Splits options into the client's own options, validated, and the connection target.
 *
 * @throws {TypeError} if `input` is not an object, an option is unknown (with the closest known name), or a
 * value is out of range.
 */
export function parseConnectOptions(input: ConnectOptions): {
  readonly client: ResolvedClientOptions;
  readonly target: Target;
} {
  const {
    agent,
    tenant,
    session,
    namespace,
    prefix,
    encoding,
    tierSubjects,
    timeoutMs,
    retryTimeoutMs,
    ...rest
  } = parseOptions(ConnectOptionsSchema, input);
  const identity = { agent, tenant, session, namespace, prefix };
  checkIdentity(identity);
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const client = { ...identity, encoding, tierSubjects, timeoutMs, retryTimeoutMs };
  return { client, target: Object.fromEntries(given) as unknown as Target };
}
