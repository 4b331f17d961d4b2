import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { NatsBusOptions } from "@membus/bus";
import { runningHost } from "../coding-agents/host-record.js";
import { hostKeyPath } from "../coding-agents/user-folders.js";
import type { Config } from "../config/config-schema.js";
import { ENVIRONMENT } from "../config/environment.js";
import { definedOnly } from "./defined-only.js";
import { localPort, namesServer } from "./local-server.js";

/**
 * Returns the connection options of the settings. Without an address, commands use the host of the user, else the
 * default port. Without credentials, a server on this machine gets the key of the
 * hosts that hooks start.
 * @throws {TypeError} for a file that cannot be read.
 */
export async function natsOptions(config: Pick<Config, "nats">, name: string): Promise<NatsBusOptions> {
  const { nats } = config;
  const { user, password: pass, token, inbox_prefix: inboxPrefix } = nats;
  const tls = definedOnly({ caFile: nats.tls_ca, certFile: nats.tls_cert, keyFile: nats.tls_key });
  const creds = await contentOf("nats.credentials", nats.credentials);
  const nkeySeed = (await contentOf("nats.nkey", nats.nkey ?? knownKey(config, process.env)))?.trim();
  return {
    servers: nats.url ?? (await recordedUrl(config)) ?? `nats://127.0.0.1:${nats.port}`,
    name,
    ...definedOnly({ user, pass, token, creds, nkeySeed, inboxPrefix }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}

/** Returns the address of the host of the user, if it runs and the settings name no server. */
async function recordedUrl(config: Pick<Config, "nats">): Promise<string | undefined> {
  return namesServer(config) ? undefined : (await runningHost(process.env))?.url;
}

const CREDENTIALS = ["credentials", "user", "password", "token", "nkey", "auth"] as const;

/** Returns whether the settings name no credentials, and a server on this machine. It may be a host that hooks start. */
export function usesHostKey(config: Pick<Config, "nats">): boolean {
  return CREDENTIALS.every((name) => config.nats[name] === undefined) && localPort(config) !== undefined;
}

/** Returns the file with the key of the hosts that hooks start, if it exists and the settings have no credentials. */
function knownKey(config: Pick<Config, "nats">, env: NodeJS.ProcessEnv): string | undefined {
  const path = hostKeyPath(env);
  return usesHostKey(config) && existsSync(path) ? path : undefined;
}

async function contentOf(setting: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new TypeError(
      `cannot read the file ${path} of ${whereGiven(setting, path)}: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

/** Returns the environment variable that set a value, or the name of the setting. */
function whereGiven(setting: string, value: string): string {
  const variables = Object.entries(ENVIRONMENT).filter(([, name]) => name === setting);
  return variables.find(([variable]) => process.env[variable] === value)?.[0] ?? setting;
}
