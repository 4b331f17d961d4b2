import { readFile } from "node:fs/promises";
import { NATS_BUS_DEFAULTS, type NatsBusOptions } from "@membus/bus";
import { type Command, Option } from "commander";
import { UsageError } from "./usage-error.js";

/** Options for the NATS connection. An empty string counts as not given. */
export interface NatsFlags {
  readonly nats?: string;
  readonly creds?: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly inboxPrefix?: string;
}

export function addNatsOptions(command: Command): Command {
  return command
    .addOption(option("--nats <url>", `NATS server (default ${NATS_BUS_DEFAULTS.servers})`, "NATS_URL"))
    .addOption(option("--creds <file>", "NATS credentials file", "MEMBUS_NATS_CREDENTIALS"))
    .addOption(option("--user <name>", "NATS user", "MEMBUS_NATS_USER"))
    .addOption(option("--password <text>", "password of the user", "MEMBUS_NATS_PASSWORD"))
    .addOption(option("--token <text>", "NATS token", "MEMBUS_NATS_TOKEN"))
    .addOption(
      option("--inbox-prefix <prefix>", "inbox prefix for replies (default _INBOX)", "MEMBUS_INBOX_PREFIX"),
    )
    .option("--tls-ca <file>", "certificates of trusted authorities, PEM")
    .option("--tls-cert <file>", "client certificate of the suite, PEM, used with --tls-key")
    .option("--tls-key <file>", "key of the client certificate, PEM");
}

/**
 * Builds the connection options.
 * @throws {UsageError} if the credentials file cannot be read.
 */
export async function natsBusOptions(flags: NatsFlags): Promise<NatsBusOptions> {
  const { nats, creds, user, password, token, tlsCa, tlsCert, tlsKey, inboxPrefix } = flags;
  const tls = {
    ...(tlsCa && { caFile: tlsCa }),
    ...(tlsCert && { certFile: tlsCert }),
    ...(tlsKey && { keyFile: tlsKey }),
  };
  return {
    name: "membus-conformance",
    ...(nats && { servers: nats }),
    ...(user && { user }),
    ...(password && { pass: password }),
    ...(token && { token }),
    ...(creds && { creds: await readCredentials(creds) }),
    ...(inboxPrefix && { inboxPrefix }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}

async function readCredentials(file: string): Promise<string> {
  return readFile(file, "utf8").catch((cause: Error) => {
    throw new UsageError(`cannot read the credentials: ${cause.message}`, { cause });
  });
}

function option(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(variable);
}
