import { access, constants } from "node:fs/promises";
import { parseOptions } from "@membus/protocol";
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";
import type { ConnectionState } from "../connection-state.js";
import { type BusDependencies, resolveBusDependencies } from "../dependencies.js";
import { NatsBus } from "./nats-bus.js";
import { connectFailure } from "./nats-errors.js";
import {
  type ExistingConnectionOptions,
  ExistingConnectionOptionsSchema,
  hasCredentials,
  type NatsBusOptions,
  NatsBusOptionsSchema,
  type NatsServer,
  type NatsTlsOptions,
  parseServers,
  type ResolvedNatsBusOptions,
} from "./nats-options.js";
import { identityCheck } from "./server-identity.js";

const PING_INTERVAL_MS = 20_000;
/**
 * Reconnect delay. With the jitter, a client reconnects within a second, and a thousand clients do not
 * reconnect at once.
 */
const RECONNECT_WAIT_MS = 200;
const RECONNECT_JITTER_MS = 500;

/**
 * Connects to NATS. Closing the bus closes the connection.
 *
 * @throws {MemoryError} `unavailable` (`reason: "connect"`) if no server can be reached, `unauthorized` if a
 * server refuses the credentials. Both contain the servers, without credentials.
 * @throws {TypeError} for options that are unknown, out of range or exclude each other, and for files that
 * cannot be read.
 */
export async function connectNatsBus(
  options: NatsBusOptions,
  dependencies: BusDependencies = {},
): Promise<NatsBus> {
  const resolved = parseOptions(NatsBusOptionsSchema, options);
  const servers = parseServers(resolved.servers);
  const connection = await connectTo(servers, resolved);
  const own = resolveBusDependencies(dependencies);
  const settings = { ...resolved, ownsConnection: true };
  if (!resolved.intakeThread) return new NatsBus(connection, settings, own);
  const { IntakeThread } = await import("./intake/intake-thread.js");
  const ofThread = { ...resolved, intakeThread: false, name: `${resolved.name}-intake` };
  const openIntake = (senderTokens: number, state: ConnectionState, onEnded: (error: Error) => void) =>
    new IntakeThread(ofThread, senderTokens, state, own, onEnded);
  return new NatsBus(connection, { ...settings, openIntake }, own);
}

/**
 * Creates a bus on an existing connection, which stays open when the bus closes. Closing drains only the
 * bus's own subscriptions. The connection's own reconnect options apply. membus itself uses
 * `maxReconnectAttempts: -1`.
 */
export function natsBusFromConnection(
  connection: NatsConnection,
  options: ExistingConnectionOptions,
  dependencies: BusDependencies = {},
): NatsBus {
  const resolved = parseOptions(ExistingConnectionOptionsSchema, options);
  return new NatsBus(
    connection,
    { ...resolved, ownsConnection: false },
    resolveBusDependencies(dependencies),
  );
}

async function connectTo(
  servers: readonly NatsServer[],
  options: ResolvedNatsBusOptions,
): Promise<NatsConnection> {
  await requireReadable(filesOf(options.tls));
  const connectionOptions = toConnectionOptions(servers, options);
  try {
    return await connect(connectionOptions);
  } catch (error) {
    const urls = servers.map((server) => server.url);
    throw connectFailure(error, urls);
  }
}

function toConnectionOptions(
  servers: readonly NatsServer[],
  options: ResolvedNatsBusOptions,
): ConnectionOptions {
  const usesTls = options.tls !== undefined || servers.some((server) => server.tls);
  const authenticator = toAuthenticator(servers, options);
  return {
    servers: servers.map((server) => server.url),
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    timeout: options.connectTimeoutMs,
    waitOnFirstConnect: options.waitOnFirstConnect,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    reconnectJitterTLS: RECONNECT_JITTER_MS,
    pingInterval: PING_INTERVAL_MS,
    ...(usesTls && { tls: { ...filesOf(options.tls), ...identityCheck(servers) } }),
    ...(authenticator && { authenticator }),
  };
}

type TlsFiles = { readonly [K in keyof NatsTlsOptions]?: string };

function filesOf(tls: NatsTlsOptions = {}): TlsFiles {
  return Object.fromEntries(Object.entries(tls).filter(([, path]) => path !== undefined));
}

/**
 * Checks that the TLS files are readable. The client reads them again at each reconnect, so that renewed
 * certificates are used.
 */
async function requireReadable(tls: TlsFiles): Promise<void> {
  for (const [name, path] of Object.entries(tls)) {
    await access(path, constants.R_OK).catch((error: unknown) => {
      throw new TypeError(`cannot read tls.${name}: ${(error as Error).message}`, { cause: error });
    });
  }
}

function toAuthenticator(
  servers: readonly NatsServer[],
  options: ResolvedNatsBusOptions,
): Authenticator | undefined {
  const { creds, nkeySeed } = options;
  if (creds !== undefined) return checked("creds", credsAuthenticator(Buffer.from(creds)));
  if (nkeySeed !== undefined) return checked("nkeySeed", nkeyAuthenticator(Buffer.from(nkeySeed)));
  const given = options.user !== undefined || options.token !== undefined;
  const { user, pass, token } = given ? options : (servers.find(hasCredentials) ?? {});
  if (token !== undefined) return tokenAuthenticator(token);
  return user === undefined ? undefined : usernamePasswordAuthenticator(user, pass);
}

/** Signs once, so that invalid credentials are rejected here and not during a handshake. */
function checked(option: string, authenticator: Authenticator): Authenticator {
  try {
    authenticator("nonce");
  } catch (error) {
    throw new TypeError(`invalid ${option}: ${(error as Error).message}`, { cause: error });
  }
  return authenticator;
}
