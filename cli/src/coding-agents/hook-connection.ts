import { MemoryClient } from "@membus/agent-client";
import { delay, isMemoryError, MemoryError, systemClock } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { localPort, namesServer } from "../flags/local-server.js";
import { natsOptions, usesHostKey } from "../flags/nats-options.js";
import type { AgentSettings } from "./agent-settings.js";
import { runningHost } from "./host-record.js";
import type { StartedHost } from "./start-host.js";

/** Time that a connection may take. On loopback it takes some milliseconds. */
const CONNECT_TIMEOUT_MS = 1_000;
/** Time that the start of a session waits for the host that it has started. */
const START_TIMEOUT_MS = 8_000;
const RETRY_MS = 50;

/**
 * Connects as the coding agent. Without an address it trusts only a host of the user, because any user of the machine
 * can listen on the default port.
 * @throws {MemoryError} `unavailable` with an advice if no server answers, `unauthorized` with an advice if the server
 * at a local address is not the user's.
 */
export async function connectAgent({ config: given }: AgentSettings): Promise<MemoryClient> {
  const config = await withAddress(given);
  const { prefix, tenant, agent, session, namespace, timeout_ms: timeoutMs } = config;
  const tierSubjects = config.nats.tier_subjects;
  return MemoryClient.connect({
    ...(await natsOptions(config, "membus-hook")),
    ...{ prefix, tenant, agent, session, namespace, tierSubjects, timeoutMs, retryTimeoutMs: 0 },
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw foreignServer(config, error) ?? error;
  });
}

async function withAddress(config: Config): Promise<Config> {
  if (namesServer(config)) return config;
  const host = await runningHost(process.env);
  if (host === undefined) throw new MemoryError("unavailable", "no host of this user is running");
  return { ...config, nats: { ...config.nats, url: host.url } };
}

/** A server that refuses the key of the user's hosts belongs to another program or user of the machine. */
function foreignServer(config: Config, error: unknown): MemoryError | undefined {
  if (!isMemoryError(error) || error.code !== "unauthorized" || !usesHostKey(config)) return undefined;
  const problem = `another program or user listens on port ${localPort(config)}`;
  const advice = "name a server with --nats, and credentials with --creds if it needs them";
  return new MemoryError("unauthorized", `${problem}: ${advice}`, error.detail, { cause: error });
}

/** Connects, and starts a host if no server answers at a local address. Waits at most 8 seconds for it. */
export async function connectOrStart(settings: AgentSettings): Promise<MemoryClient> {
  try {
    return await connectAgent(settings);
  } catch (error) {
    if (!isUnavailable(error) || localPort(settings.config) === undefined) throw error;
    const { withStartedHost } = await import("./start-host.js");
    return await withStartedHost(settings, (host) => waitForHost(settings, host));
  }
}

/** @throws {MemoryError} `unavailable` if the started host has ended, or does not answer within 8 seconds. */
async function waitForHost(settings: AgentSettings, host?: StartedHost): Promise<MemoryClient> {
  const end = systemClock.now() + START_TIMEOUT_MS / 1_000;
  for (;;) {
    // Read before the attempt, because another host may answer.
    const failure = host?.failure();
    const client = await connectAgent(settings).catch(nothingIfUnavailable);
    const answer = await client?.ping({ timeoutMs: 500, retryTimeoutMs: 500 }).catch(nothingIfUnavailable);
    if (client !== undefined && answer !== undefined) return client;
    await client?.close();
    if (failure !== undefined) throw failure;
    if (systemClock.now() >= end) {
      const log = `${settings.stateFolder}/host.log`;
      throw new MemoryError("unavailable", `the host that was started does not answer yet, see ${log}`);
    }
    await delay(systemClock, RETRY_MS);
  }
}

function nothingIfUnavailable(error: unknown): undefined {
  if (!isUnavailable(error)) throw error;
}

function isUnavailable(error: unknown): boolean {
  return isMemoryError(error) && error.retryable;
}
