import type { Config } from "../config/config-schema.js";

/** Port of a server without a configured address, as in the settings. */
export const DEFAULT_PORT = 4_222;

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

/** Returns the port of the server that `membus up` would run at the configured address, or undefined. */
export function localPort({
  nats,
}: {
  readonly nats: Pick<Config["nats"], "url" | "port">;
}): number | undefined {
  if (nats.url === undefined) return nats.port;
  if (!URL.canParse(nats.url)) return undefined;
  const { protocol, hostname, port, username } = new URL(nats.url);
  const isLocal = protocol === "nats:" && LOOPBACK.has(hostname) && username === "";
  return isLocal ? Number(port || nats.port) : undefined;
}

/** Returns whether the settings name a server. Otherwise commands use the host of the user. */
export function namesServer({ nats }: Pick<Config, "nats">): boolean {
  return nats.url !== undefined || nats.port !== DEFAULT_PORT;
}
