import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { TlsOptions } from "@nats-io/transport-node";
import type { NatsServer } from "./nats-options.js";

/** What Node compares a certificate with where the client names no server, as it does for an address. */
const UNNAMED = "localhost";

/**
 * Compares the certificate of a server that is dialled by its address with the addresses given: the client names none to
 * Node, which would take a certificate for `localhost` instead, and refuse the right one.
 */
export function identityCheck(servers: readonly Pick<NatsServer, "url">[]): TlsOptions {
  const hosts = servers.map(({ url }) => new URL(url).hostname.replace(/^\[|\]$/g, ""));
  const unnamed = hosts.filter((host) => isIP(host) !== 0 || host === UNNAMED);
  const check = (host: string, certificate: PeerCertificate): Error | undefined => {
    if (host !== UNNAMED || unnamed.length === 0) return checkServerIdentity(host, certificate);
    const problems = unnamed.map((name) => checkServerIdentity(name, certificate));
    return problems.includes(undefined) ? undefined : problems[0];
  };
  // Not among the options that the client declares; it hands them on to Node as they are.
  return { checkServerIdentity: check } as TlsOptions;
}
