import { booleanOption, integerOption, optionalOption, resolveOptions, stringOption } from "@membus/protocol";
import { INBOX_PREFIX_DEFAULT, inboxPrefixOption } from "../subject.js";

export interface NatsTlsOptions {
  /** PEM file with the certificate authorities to trust. Default: the system certificates. */
  readonly caFile?: string;
  /** PEM file with the client certificate, requires `keyFile`. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** At most one of `user`, `token`, `creds` and `nkeySeed`. Without one, credentials in the URL are used. */
export interface NatsBusOptions {
  /**
   * One or more of `nats://host:port`, `tls://host:port` (rejects an unencrypted server) or `host:port`.
   * @default "nats://127.0.0.1:4222"
   */
  readonly servers?: string | readonly string[];
  /**
   * Name of the connection in the server's monitoring.
   * @default "membus"
   */
  readonly name?: string;
  readonly user?: string;
  /** Password of `user`. */
  readonly pass?: string;
  readonly token?: string;
  /** Content of a credentials file (JWT and seed), not its path. */
  readonly creds?: string;
  /** Seed of an nkey, `SU...`. */
  readonly nkeySeed?: string;
  readonly tls?: NatsTlsOptions;
  /**
   * Subject prefix of replies to this connection. Permissions of the server can make it private.
   * @default "_INBOX"
   */
  readonly inboxPrefix?: string;
  /**
   * Time limit of one connection attempt. Milliseconds, 1..600000.
   * @default 5000
   */
  readonly connectTimeoutMs?: number;
  /**
   * Whether to retry forever if no server answers the first attempt. False fails in that case. A lost
   * connection is always retried forever, every 200 to 700 ms.
   * @default false
   */
  readonly waitOnFirstConnect?: boolean;
  /**
   * Time that `close` waits for running callbacks and for the server. It then closes the connection.
   * Milliseconds, 1..600000.
   * @default 10000
   */
  readonly closeTimeoutMs?: number;
}

export interface ExistingConnectionOptions {
  /**
   * The `inboxPrefix` of the connection. The server may permit no other.
   * @default "_INBOX"
   */
  readonly inboxPrefix?: string;
  /**
   * Same as in `connectNatsBus`.
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

/**
 * Resolves the options of a NATS bus.
 *
 * @throws {TypeError} for an unknown option, a value out of range, or more than one kind of credentials.
 */
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
  if (given.length > 1) throw new TypeError(`${given.join(" and ")} exclude each other, set only one`);
  if (options.pass !== undefined && options.user === undefined) throw new TypeError("pass requires user");
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
  if (servers.length === 0) throw new TypeError(`${name} must contain at least one server`);
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
    throw new TypeError(`${name}.certFile and ${name}.keyFile must be set together`);
  }
}

export interface NatsServer {
  /** URL without credentials, used to connect and in messages. */
  readonly url: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * Returns the URL of a server without its credentials.
 *
 * @throws {TypeError} for an invalid URL.
 */
export function serverAddress(server: string): string {
  return parseServer(server).url;
}

/**
 * Parses `nats://`, `tls://` or no scheme, with percent-encoded `user:pass@` or `token@` before the host.
 *
 * @throws {TypeError} for any other URL. The message never includes the URL, which may contain a password.
 */
export function parseServer(server: string): NatsServer {
  const text = server.includes("://") ? server : `nats://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["nats:", "tls:"].includes(url.protocol) || url.hostname === "") {
    throw new TypeError("invalid NATS server URL: use nats://host:port, tls://host:port or host:port");
  }
  const address = { url: `${url.protocol}//${url.host}`, tls: url.protocol === "tls:" };
  const user = decodeURIComponent(url.username);
  if (user === "") return address;
  return url.password === ""
    ? { ...address, token: user }
    : { ...address, user, pass: decodeURIComponent(url.password) };
}
