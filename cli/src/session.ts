import type { MemoryClient } from "@membus/agent-client";
import type { Command } from "commander";
import type { Config, ConfigFile } from "./config/config-schema.js";
import { resolveConfig } from "./config/resolve-config.js";
import { definedOnly } from "./flags/defined-only.js";
import { numberFlag } from "./flags/json-argument.js";
import { natsOptions } from "./flags/nats-options.js";
import { createOutput, type Output } from "./terminal/output.js";

/** Flags of every command. */
export interface CommonFlags {
  readonly config?: string;
  readonly nats?: string;
  readonly creds?: string;
  readonly prefix?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly namespace?: string;
  readonly timeoutMs?: string;
  readonly json?: boolean;
}

/** Settings and output of a command. */
export interface Session {
  readonly config: Config;
  readonly output: Output;
}

/** Reads the settings of a command. `extra` are settings from the command's own flags. */
export async function openSession(command: Command, extra: ConfigFile = {}): Promise<Session> {
  const flags = command.optsWithGlobals<CommonFlags>();
  const config = await resolveConfig({
    flags: { ...commonConfig(flags), ...extra, ...mergedNats(flags, extra) },
    env: process.env,
    configPath: flags.config,
  });
  return { config, output: createOutput(flags.json === true) };
}

export function commonConfig(flags: CommonFlags): ConfigFile {
  const { prefix, tenant, agent, session, namespace, timeoutMs } = flags;
  return definedOnly({
    prefix,
    tenant,
    agent,
    session,
    namespace,
    timeout_ms: timeoutMs === undefined ? undefined : numberFlag("--timeout-ms", timeoutMs),
  });
}

export function mergedNats(flags: CommonFlags, extra: ConfigFile): ConfigFile {
  const nats = { ...definedOnly({ url: flags.nats, credentials: flags.creds }), ...extra.nats };
  return Object.keys(nats).length === 0 ? {} : { nats };
}

/**
 * Runs `use` with a client of the configured agent, then closes it. Failed requests are retried for
 * `retryTimeoutMs`, by default the request timeout.
 */
export async function withClient<T>(
  config: Config,
  use: (client: MemoryClient) => Promise<T>,
  retryTimeoutMs = config.timeout_ms,
): Promise<T> {
  const { prefix, tenant, agent, session, namespace, timeout_ms: timeoutMs } = config;
  const tierSubjects = config.nats.tier_subjects;
  const { MemoryClient } = await import("@membus/agent-client");
  const client = await MemoryClient.connect({
    ...(await natsOptions(config, "membus-cli")),
    ...{ prefix, tenant, agent, session, namespace, tierSubjects, timeoutMs, retryTimeoutMs },
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
