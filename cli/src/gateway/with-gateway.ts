import { join } from "node:path";
import { connectNatsBus, type NatsBus } from "@membus/bus";
import type { Gateway, GatewayDependencies, GatewayOptions } from "@membus/gateway";
import { systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { userFolders } from "../coding-agents/user-folders.js";
import type { Config } from "../config/config-schema.js";
import { natsOptions } from "../flags/nats-options.js";
import { tlsOf } from "./gateway-options.js";

export interface GatewayParts {
  readonly config: Config;
  readonly options: GatewayOptions;
  readonly logger: Logger;
  /** Address of the server, if it differs from the settings. */
  readonly servers?: string;
}

/** A running gateway. */
export interface RunningGateway {
  readonly url: string;
  /** Shows its addresses. */
  readonly banner: string;
}

function bannerOf(gateway: Gateway, url: string): string {
  const page = gateway.hasInspector ? `\nmemories in a browser: ${url}` : "";
  return `membus gateway is listening on ${url}${page}`;
}

/** Runs `work` with a running gateway. Requests in progress are answered before it resolves. */
export async function withGateway(
  { config, options, logger, servers }: GatewayParts,
  work: (running: RunningGateway) => Promise<void>,
): Promise<void> {
  const { Gateway } = await import("@membus/gateway");
  const tls = await tlsOf(config);
  const nats = { ...(await natsOptions(config, "membus-gateway")), ...(servers && { servers }) };
  const bus = await connectNatsBus(nats, { logger, clock: systemClock });
  try {
    const sessions = await sessionsOf(config, bus);
    const gateway = new Gateway({ bus, sessions, logger, queuedWrites, ...(tls && { tls }) }, options);
    const url = await gateway.start();
    try {
      await work({ url, banner: bannerOf(gateway, url) });
    } finally {
      await gateway.stop();
    }
  } finally {
    await bus.close();
  }
}

/** Returns the number of writes of the user's coding agents that wait for the host. */
async function queuedWrites(): Promise<number> {
  const { Outbox, OUTBOX_FOLDER } = await import("@membus/coding-agents");
  const { queued, problem } = await new Outbox(join(userFolders(process.env).state, OUTBOX_FOLDER)).state();
  if (problem !== undefined) throw problem;
  return queued;
}

async function sessionsOf({ data, gateway }: Config, bus: NatsBus): Promise<GatewayDependencies["sessions"]> {
  const name = gateway.session_bucket;
  if (name === undefined) return join(data, "gateway");
  const { GATEWAY_DEFAULTS } = await import("@membus/gateway");
  return bus.openBucket({ name, ttlS: gateway.session_idle_s ?? GATEWAY_DEFAULTS.sessionIdleS });
}
