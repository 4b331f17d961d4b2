import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";
import { InboxPrefixSchema } from "../subject.js";

const ServersSchema = option.value<string | readonly string[]>((value) => {
  const servers: readonly unknown[] = Array.isArray(value) ? value : [value];
  return servers.length > 0 && servers.every((server) => typeof server === "string" && areUrls(server));
}, "must be one or more of nats://host:port, tls://host:port or host:port");

const NatsTlsOptionsSchema = optionSet({
  /** PEM file with the certificate authorities to trust. Default: the system certificates. */
  caFile: option.text().optional(),
  /** PEM file with the client certificate, requires `keyFile`. */
  certFile: option.text().optional(),
  keyFile: option.text().optional(),
}).refine(
  ({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined),
  "is incomplete: certFile and keyFile must be set together",
);

const CREDENTIALS = ["user", "token", "creds", "nkeySeed"] as const;

export const ExistingConnectionOptionsSchema = optionSet({
  /** The `inboxPrefix` of the connection. The server may permit no other. */
  inboxPrefix: InboxPrefixSchema.default("_INBOX"),
  /** Time that `close` waits for running callbacks and for the server, in milliseconds. */
  closeTimeoutMs: option.integer(1, 600_000).default(10_000),
});

export const NatsBusOptionsSchema = optionSet({
  /**
   * One or more of `nats://host:port`, `tls://host:port` (rejects an unencrypted server) or `host:port`, as a list or with
   * commas.
   */
  servers: ServersSchema.default("nats://127.0.0.1:4222"),
  /** Name of the connection in the server's monitoring. */
  name: option.text().default("membus"),
  user: option.text().optional(),
  /** Password of `user`. */
  pass: option.text().optional(),
  token: option.text().optional(),
  /** Content of a credentials file (JWT and seed), not its path. */
  creds: option.text().optional(),
  /** Seed of an nkey, `SU...`. */
  nkeySeed: option.text().optional(),
  tls: NatsTlsOptionsSchema.optional(),
  /** Subject prefix of replies to this connection. Permissions of the server can make it private. */
  inboxPrefix: InboxPrefixSchema.default("_INBOX"),
  /** Time limit of one connection attempt, in milliseconds. */
  connectTimeoutMs: option.integer(1, 600_000).default(5_000),
  /**
   * Whether to retry forever if no server answers the first attempt. False fails in that case. A lost
   * connection is always retried forever, every 200 to 700 ms.
   */
  waitOnFirstConnect: option.boolean().default(false),
  /**
   * Time that `close` waits for running callbacks and for the server, in milliseconds. It then closes the
   * connection.
   */
  closeTimeoutMs: option.integer(1, 600_000).default(10_000),
  /**
   * Whether a host on this bus receives requests in a thread with a second connection. A flood of one agent then
   * does not delay the requests of other agents. `membus up` sets it.
   */
  intakeThread: option.boolean().default(false),
})
  .refine(({ pass, user }) => pass === undefined || user !== undefined, "pass requires user")
  .superRefine((options, context) => {
    const given = CREDENTIALS.filter((name) => options[name] !== undefined);
    if (given.length > 1) context.addIssue(`${given.join(" and ")} exclude each other, set only one`);
  });

export interface NatsTlsOptions extends OptionsOf<typeof NatsTlsOptionsSchema> {}
/** At most one of `user`, `token`, `creds` and `nkeySeed`. Without one, credentials in the URL are used. */
export interface NatsBusOptions extends OptionsOf<typeof NatsBusOptionsSchema> {}
export interface ResolvedNatsBusOptions extends ResolvedOptionsOf<typeof NatsBusOptionsSchema> {}
export interface ExistingConnectionOptions extends OptionsOf<typeof ExistingConnectionOptionsSchema> {}

export const NATS_BUS_DEFAULTS: ResolvedNatsBusOptions = parseOptions(NatsBusOptionsSchema, {});

/** Returns whether a user or a token is given, also in the URL of a server. */
export function usesCredentials(options: ResolvedNatsBusOptions): boolean {
  const isInUrl = parseServers(options.servers).some(hasCredentials);
  return isInUrl || CREDENTIALS.some((name) => options[name] !== undefined);
}

export function hasCredentials({ user, token }: NatsServer): boolean {
  return user !== undefined || token !== undefined;
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
 * Returns the URL of a server, or of each in a list with commas, without credentials.
 *
 * @throws {TypeError} for an invalid URL.
 */
export function serverAddress(server: string): string {
  return parseServers(server)
    .map(({ url }) => url)
    .join(",");
}

/** Parses servers. Each text may list several with commas. A comma in a password is `%2C`. @throws {TypeError} as `parseServer` does. */
export function parseServers(servers: string | readonly string[]): NatsServer[] {
  return [servers].flat().flatMap((server) => server.split(",").map(parseServer));
}

function areUrls(server: string): boolean {
  return server.split(",").every((url) => urlOf(url) !== undefined);
}

/**
 * Parses `nats://`, `tls://` or no scheme, with percent-encoded `user:pass@` or `token@` before the host.
 *
 * @throws {TypeError} for any other URL. The message never includes the URL, which may contain a password.
 */
function parseServer(server: string): NatsServer {
  const url = urlOf(server);
  if (url === undefined) {
    throw new TypeError("invalid NATS server URL: use nats://host:port, tls://host:port or host:port");
  }
  const address = { url: `${url.protocol}//${url.host}`, tls: url.protocol === "tls:" };
  const user = decodeURIComponent(url.username);
  if (user === "") return address;
  return url.password === ""
    ? { ...address, token: user }
    : { ...address, user, pass: decodeURIComponent(url.password) };
}

function urlOf(server: string): URL | undefined {
  const text = server.includes("://") ? server : `nats://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && ["nats:", "tls:"].includes(url.protocol) && url.hostname !== "" ? url : undefined;
}
