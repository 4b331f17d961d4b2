import { readFile } from "node:fs/promises";
import type { NatsBusOptions } from "@membus/bus";
import type { Config } from "../config/config-schema.js";
import { ENVIRONMENT } from "../config/environment.js";
import { definedOnly } from "./defined-only.js";

/**
 * Returns the connection options of the settings.
 * @throws {TypeError} for a file that cannot be read.
 */
export async function natsOptions({ nats }: Config, name: string): Promise<NatsBusOptions> {
  const { user, password: pass, token, inbox_prefix: inboxPrefix } = nats;
  const tls = definedOnly({ caFile: nats.tls_ca, certFile: nats.tls_cert, keyFile: nats.tls_key });
  const creds = await contentOf("nats.credentials", nats.credentials);
  const nkeySeed = (await contentOf("nats.nkey", nats.nkey))?.trim();
  return {
    servers: nats.url ?? `nats://127.0.0.1:${nats.port}`,
    name,
    ...definedOnly({ user, pass, token, creds, nkeySeed, inboxPrefix }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
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
