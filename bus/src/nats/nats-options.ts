import { booleanOption, integerOption, optionalOption, resolveOptions, stringOption } from "@membus/protocol";
import { INBOX_PREFIX_DEFAULT, inboxPrefixOption } from "../subject.js";

export interface NatsTlsOptions {
  /** Certificates of the authorities to trust, PEM file. Without it the system's. */
  readonly caFile?: string;
  /** The client's own certificate, PEM file; together with `keyFile`. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** At most one of `user`, `token`, `creds` and `nkeySeed`. Credentials within a URL are used when there is none. */
export interface NatsBusOptions {
  /**
   * One or more of `nats://host:port`, `tls://host:port` (refuses an unencrypted server) or `host:port`.
   * @default "nats://127.0.0.1:4222"
   */
  readonly servers?: string | readonly string[];
  /**
   * What the server's monitoring shows for this connection.
   * @default "membus"
   */
  readonly name?: string;
  readonly user?: string;
  /** Password of `user`. */
  readonly pass?: string;
  readonly token?: string;
  /** Content of a credentials file (JWT and seed), not its path. */
  readonly creds?: string;
  /** An nkey's seed, `SU...`. */
  readonly nkeySeed?: string;
  readonly tls?: NatsTlsOptions;
  /**
   * Where the replies to this connection arrive; private to it where the server's permissions say so.
   * @default "_INBOX"
   */
  readonly inboxPrefix?: string;
  /**
   * How long one attempt to connect may take. Milliseconds, 1..600000.
   * @default 5000
   */
  readonly connectTimeoutMs?: number;
  /**
   * True keeps trying, without an end, when no server answers the first attempt; false fails then. Once
   * connected, a lost connection is always tried again without an end, every 200 to 700 ms.
   * @default false
   */
  readonly waitOnFirstConnect?: boolean;
  /**
   * How long `close` waits for callbacks under way and for the server before it closes all the same.
   * Milliseconds, 1..600000.
   * @default 10000
   */
  readonly closeTimeoutMs?: number;
}

export interface ExistingConnectionOptions {
  /**
   * The `inboxPrefix` that the connection was made with: the server may allow no other.
   * @default "_INBOX"
   */
  readonly inboxPrefix?: string;
  /**
   * As for `connectNatsBus`.
   * @default 10000
   */
  readonly closeTimeoutMs?: number;
}

type Defaulted =
  | "servers"
  | "name"
  | "inboxPrefix"
  | "connectTimeoutMs"
  | "waitOnFirstConnect"
  | "closeTimeoutMs";

export const NATS_BUS_DEFAULTS: Readonly<Required<Pick<NatsBusOptions, Defaulted>>> = Object.freeze({
  servers: "nats://127.0.0.1:4222",
  name: "membus",
  inboxPrefix: INBOX_PREFIX_DEFAULT,
  connectTimeoutMs: 5_000,
  waitOnFirstConnect: false,
  closeTimeoutMs: 10_000,
});

export type ResolvedNatsBusOptions = NatsBusOptions & typeof NATS_BUS_DEFAULTS;

const CREDENTIALS = ["user", "token", "creds", "nkeySeed"] as const;
const durationOption = integerOption(1, 600_000);
const optionalString = optionalOption(stringOption);

/** @throws {TypeError} for an unknown option, a value out of range, or more than one kind of credentials. */
export function resolveNatsBusOptions(input: NatsBusOptions): ResolvedNatsBusOptions {
  const options = resolveOptions<ResolvedNatsBusOptions>(input, NATS_BUS_DEFAULTS, {
    servers: serversOption,
    name: stringOption,
    user: optionalString,
    pass: optionalString,
    token: optionalString,
    creds: optionalString,
    nkeySeed: optionalString,
    tls: optionalOption(tlsOption),
    inboxPrefix: inboxPrefixOption,
    connectTimeoutMs: durationOption,
    waitOnFirstConnect: booleanOption,
    closeTimeoutMs: durationOption,
  });
  const given = CREDENTIALS.filter((name) => options[name] !== undefined);
  if (given.length > 1) throw new TypeError(`${given.join(" and ")} exclude each other`);
  if (options.pass !== undefined && options.user === undefined) throw new TypeError("pass needs user");
  return options;
}

export function resolveExistingConnectionOptions(
  input: ExistingConnectionOptions,
): Readonly<Required<ExistingConnectionOptions>> {
  const { inboxPrefix, closeTimeoutMs } = NATS_BUS_DEFAULTS;
  const defaults = { inboxPrefix, closeTimeoutMs };
  return resolveOptions(input, defaults, { inboxPrefix: inboxPrefixOption, closeTimeoutMs: durationOption });
}

function serversOption(value: unknown, name: string): void {
  const servers = Array.isArray(value) ? value : [value];
  if (servers.length === 0) throw new TypeError(`${name} must name at least one server`);
  for (const server of servers) {
    stringOption(server, name);
    parseServer(server as string);
  }
}

function tlsOption(value: unknown, name: string): void {
  if (typeof value !== "object" || value === null) throw new TypeError(`${name} must be an object`);
  const none = { caFile: undefined, certFile: undefined, keyFile: undefined };
  const rules = { caFile: optionalString, certFile: optionalString, keyFile: optionalString };
  const tls = resolveOptions<Record<keyof typeof none, string | undefined>>(value, none, rules);
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    throw new TypeError(`${name}.certFile and ${name}.keyFile belong together`);
  }
}

export interface NatsServer {
  /** The URL without credentials: what is dialled, logged and shown. */
  readonly url: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * A server's URL as it may be shown: without its credentials.
 * @throws {TypeError} for what is no server's URL.
 */
export function serverAddress(server: string): string {
  return parseServer(server).url;
}

/**
 * `nats://`, `tls://` or no scheme; `user:pass@` and `token@` before the host, percent-encoded.
 * @throws {TypeError} for anything else. The message never repeats the URL, which may hold a password.
 */
export function parseServer(server: string): NatsServer {
  const text = server.includes("://") ? server : `nats://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["nats:", "tls:"].includes(url.protocol) || url.hostname === "") {
    throw new TypeError("a NATS server is nats://host:port, tls://host:port or host:port");
  }
  const address = { url: `${url.protocol}//${url.host}`, tls: url.protocol === "tls:" };
  const user = decodeURIComponent(url.username);
  if (user === "") return address;
  return url.password === ""
    ? { ...address, token: user }
    : { ...address, user, pass: decodeURIComponent(url.password) };
}
