import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { ensureNatsServer, launchNatsServer, type NatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { composeHost } from "../compose/compose-host.js";
import type { Config } from "../config/config-schema.js";
import { definedOnly } from "../flags/defined-only.js";
import { createLogger } from "../logger.js";

export interface TemporaryHostOptions {
  readonly env: NodeJS.ProcessEnv;
  onStep(message: string): void;
}

/**
 * Runs `use` with the settings of a temporary host: a nats-server on a free loopback port, and the plugins
 * and embedder of `config` in a temporary folder. Everything is removed afterwards, even after a failure.
 */
export async function withTemporaryHost<T>(
  config: Config,
  options: TemporaryHostOptions,
  use: (config: Config) => Promise<T>,
): Promise<T> {
  const { path } = await ensureNatsServer({
    ...options,
    ...definedOnly({ explicitPath: config.nats.server }),
  });
  const data = await mkdtemp(join(tmpdir(), "membus-eval-"));
  try {
    const server = await launchNatsServer({ binary: path });
    try {
      return await withHost(settingsFor(config, server, data), options.env, use);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** The temporary server needs no credentials, and has only the configured tenant. */
function settingsFor(config: Config, { url, port }: NatsServer, data: string): Config {
  const nats = { url, port, tier_subjects: false };
  return { ...config, audit: false, data, nats, tenants: [config.tenant] };
}

async function withHost<T>(
  config: Config,
  env: NodeJS.ProcessEnv,
  use: (config: Config) => Promise<T>,
): Promise<T> {
  const logger = createLogger(config.log_level);
  const bus = await connectNatsBus(
    { servers: config.nats.url!, name: "membus-host" },
    { logger, clock: systemClock },
  );
  try {
    const { host } = await composeHost(config, { bus, logger, env });
    await host.start();
    try {
      return await use(config);
    } finally {
      await host.stop();
    }
  } finally {
    await bus.close();
  }
}
