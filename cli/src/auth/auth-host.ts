import { existsSync, watch } from "node:fs";
import { join, resolve } from "node:path";
import type { NatsServer } from "@membus/nats-server";
import type { Config } from "../config/config-schema.js";
import { CONFIG_FILE, seedPath } from "./auth-folder.js";
import { GATEWAY_USER, HOST_USER, OPERATOR_USER } from "./auth-state.js";

/** Requests that cross accounts come with a reply subject of the server's, which begins with the first. */
const INBOX_PREFIXES = [
  "_R_",
  ...[HOST_USER, OPERATOR_USER, GATEWAY_USER].map(({ inboxPrefix }) => inboxPrefix),
];

/** The settings of a host that connects by its key of `nats.auth`; without that setting, as they are. */
export function asAuthHost(config: Config): Config {
  const { auth } = config.nats;
  if (auth === undefined) return config;
  const own = { nkey: seedPath(resolve(auth), HOST_USER), inbox_prefix: HOST_USER.inboxPrefix };
  return {
    ...config,
    nats: { ...own, ...config.nats },
    host: { inboxPrefixes: INBOX_PREFIXES, ...config.host },
  };
}

/**
 * The settings of a gateway that connects by its key of `nats.auth`; without that setting, as they are.
 * @throws {TypeError} where the folder has none.
 */
export function asAuthGateway(config: Config): Config {
  const { auth } = config.nats;
  if (auth === undefined) return config;
  const nkey = seedPath(resolve(auth), GATEWAY_USER);
  if (!existsSync(nkey)) {
    const commands = `\`membus auth add-gateway --folder ${auth}\`, or \`rotate gateway\` where it was taken away`;
    throw new TypeError(`--http with --auth needs a key of the gateway's own, ${nkey}: ${commands}`);
  }
  return { ...config, nats: { ...config.nats, nkey, inbox_prefix: GATEWAY_USER.inboxPrefix } };
}

export function authConfigPath(folder: string): string {
  return join(resolve(folder), CONFIG_FILE);
}

/** Has `server` read its configuration again whenever `membus auth` has written it; returns how to end that. */
export function reloadOnChange(folder: string, server: Pick<NatsServer, "reload">): () => void {
  const watcher = watch(resolve(folder), (_event, name) => {
    if (name === CONFIG_FILE) server.reload();
  });
  return () => watcher.close();
}
