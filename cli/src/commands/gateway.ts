import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import type { GatewayOptions } from "@membus/gateway";
import { systemClock } from "@membus/protocol";
import type { Command } from "commander";
import type { Config } from "../config/config-schema.js";
import { definedOnly } from "../flags/defined-only.js";
import { natsOptions } from "../flags/nats-options.js";
import { createLogger } from "../logger.js";
import { openSession, type Session } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

interface GatewayFlags {
  readonly listen?: string;
  readonly data?: string;
}

export function registerGateway(program: Command): void {
  program
    .command("gateway")
    .description("open the bus to agents that speak HTTP: A2E's SDK works with it unchanged")
    .option("--listen <address>", "address and port, such as 127.0.0.1:8765 (the default)")
    .option("--data <folder>", "folder whose `gateway` holds the sessions (default ./.membus)")
    .action(async (flags: GatewayFlags, command: Command) => {
      const { listen, data } = flags;
      const session = await openSession(command, definedOnly({ data }));
      await runGateway(session, listen);
    });
}

async function runGateway({ config, output }: Session, listen: string | undefined): Promise<void> {
  const { Gateway } = await import("@membus/gateway");
  const logger = createLogger(config.log_level);
  const tls = await tlsOf(config);
  const bus = await connectNatsBus(await natsOptions(config, "membus-gateway"), {
    logger,
    clock: systemClock,
  });
  try {
    const directory = join(config.data, "gateway");
    const dependencies = { bus, directory, logger, ...(tls && { tls }) };
    const gateway = new Gateway(dependencies, gatewayOptions(config, listen));
    const url = await gateway.start();
    try {
      output.result({ url }, () => `membus gateway listens on ${url}`);
      await untilSignalled();
      output.note("stopping: answering what is in flight");
    } finally {
      await gateway.stop();
    }
  } finally {
    await bus.close();
  }
}

function gatewayOptions(
  { gateway = {}, prefix, tenant }: Config,
  listen: string | undefined,
): GatewayOptions {
  const { tokens, hosts, origins, session_idle_s: sessionIdleS } = gateway;
  return {
    prefix,
    tenant,
    ...addressOf(listen ?? gateway.listen),
    ...definedOnly({ tokens, hosts, origins, sessionIdleS }),
  };
}

/** @throws {TypeError} for what is no address and port. */
function addressOf(listen: string | undefined): Pick<GatewayOptions, "host" | "port"> {
  if (listen === undefined) return {};
  const [, six, name, port] = /^(?:\[([^\]]+)\]:|([^:]+):)?(\d{1,5})$/.exec(listen) ?? [];
  if (port === undefined)
    throw new TypeError(`--listen takes an address and a port, such as 127.0.0.1:8765, not ${listen}`);
  return { ...definedOnly({ host: six ?? name }), port: Number(port) };
}

async function tlsOf({ gateway }: Config) {
  const { tls_cert, tls_key } = gateway ?? {};
  if (tls_cert === undefined && tls_key === undefined) return undefined;
  if (tls_cert === undefined || tls_key === undefined) {
    throw new TypeError("`gateway.tls_cert` and `gateway.tls_key` go together");
  }
  return { cert: await readFile(tls_cert), key: await readFile(tls_key) };
}
