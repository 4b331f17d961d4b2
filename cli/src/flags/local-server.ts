import type { Config } from "../config/config-schema.js";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

/** Returns the port of the server that `membus up` would run at the configured address, or undefined. */
export function localPort({ nats }: Pick<Config, "nats">): number | undefined {
  if (nats.url === undefined) return nats.port;
  if (!URL.canParse(nats.url)) return undefined;
  const { protocol, hostname, port, username } = new URL(nats.url);
  const isLocal = protocol === "nats:" && LOOPBACK.has(hostname) && username === "";
  return isLocal ? Number(port || nats.port) : undefined;
}
