import { readFile } from "node:fs/promises";
import type { NatsBusOptions } from "@membus/bus";
import type { Config } from "../config/config-schema.js";

/** How to connect, as the settings say. */
export async function natsOptions({ nats }: Config, name: string): Promise<NatsBusOptions> {
  return {
    servers: nats.url ?? `nats://127.0.0.1:${nats.port}`,
    name,
    ...(nats.user === undefined ? {} : { user: nats.user }),
    ...(nats.password === undefined ? {} : { pass: nats.password }),
    ...(nats.token === undefined ? {} : { token: nats.token }),
    ...(nats.credentials === undefined ? {} : { creds: await readFile(nats.credentials, "utf8") }),
    ...(nats.inbox_prefix === undefined ? {} : { inboxPrefix: nats.inbox_prefix }),
  };
}
