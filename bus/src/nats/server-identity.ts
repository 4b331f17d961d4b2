import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { TlsOptions } from "@nats-io/transport-node";
import type { NatsServer } from "./nats-options.js";

/** Host name that Node checks if the client passes no server name, as it does for IP addresses. */
const DEFAULT_HOST = "localhost";

/**
 * Checks the certificate of a server that is addressed by IP against that address. The client passes no name
 * to Node. Node would then accept a certificate for `localhost` and reject the correct one.
 */
export function identityCheck(servers: readonly Pick<NatsServer, "url">[]): TlsOptions {
  const hosts = servers.map(({ url }) => new URL(url).hostname.replace(/^\[|\]$/g, ""));
  const unnamed = hosts.filter((host) => isIP(host) !== 0 || host === DEFAULT_HOST);
  const check = (host: string, certificate: PeerCertificate): Error | undefined => {
    if (host !== DEFAULT_HOST || unnamed.length === 0) return checkServerIdentity(host, certificate);
    const problems = unnamed.map((name) => checkServerIdentity(name, certificate));
    return problems.includes(undefined) ? undefined : problems[0];
  };
  // The client does not declare this option but passes it on to Node.
  return { checkServerIdentity: check } as TlsOptions;
}
