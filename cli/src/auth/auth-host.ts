import { existsSync, watch } from "node:fs";
import { join, resolve } from "node:path";
import type { NatsServer } from "@membus/nats-server";
import type { Config } from "../config/config-schema.js";
import { CONFIG_FILE, seedPath } from "./auth-folder.js";
import { type AuthUser, GATEWAY_USER, HOST_USER, OPERATOR_USER } from "./auth-state.js";

/** Requests that cross accounts have a reply subject of the server, which begins with `_R_`. */
const INBOX_PREFIXES = [
  "_R_",
  ...[HOST_USER, OPERATOR_USER, GATEWAY_USER].map(({ inboxPrefix }) => inboxPrefix),
];

/**
 * Returns the settings of a host that connects with its key in `nats.auth`, or the settings unchanged without
 * `nats.auth`.
 */
export function asAuthHost(config: Config): Config {
  if (config.nats.auth === undefined) return config;
  return { ...withKeyOf(HOST_USER, config), host: { inboxPrefixes: INBOX_PREFIXES, ...config.host } };
}

/**
 * Returns the settings of a command that connects with the operator's key in `nats.auth`, or the settings
 * unchanged without `nats.auth`.
 */
export function asAuthOperator(config: Config): Config {
  return withKeyOf(OPERATOR_USER, config);
}

function withKeyOf(user: AuthUser, config: Config): Config {
  const { auth } = config.nats;
  if (auth === undefined) return config;
  const own = { nkey: seedPath(resolve(auth), user), inbox_prefix: user.inboxPrefix };
  return { ...config, nats: { ...own, ...config.nats } };
}

/**
 * Returns the settings of a gateway that connects with its key in `nats.auth`, or the settings unchanged
 * without `nats.auth`.
 * @throws {TypeError} if the folder has no gateway key.
 */
export function asAuthGateway(config: Config): Config {
  const { auth } = config.nats;
  if (auth === undefined) return config;
  const nkey = seedPath(resolve(auth), GATEWAY_USER);
  if (!existsSync(nkey)) {
    const commands = `run \`membus auth add-gateway --folder ${auth}\`, or \`membus auth rotate gateway\` if the key was removed`;
    throw new TypeError(`--http with --auth needs a gateway key at ${nkey}: ${commands}`);
  }
  return { ...config, nats: { ...config.nats, nkey, inbox_prefix: GATEWAY_USER.inboxPrefix } };
}

export function authConfigPath(folder: string): string {
  return join(resolve(folder), CONFIG_FILE);
}

/**
 * Reloads the configuration of `server` whenever `membus auth` has written it. Returns a function that stops
 * this.
 */
export function reloadOnChange(folder: string, server: Pick<NatsServer, "reload">): () => void {
  const watcher = watch(resolve(folder), (_event, name) => {
    if (name === CONFIG_FILE) server.reload();
  });
  return () => watcher.close();
}
