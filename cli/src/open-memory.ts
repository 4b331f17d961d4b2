import { MemoryClient } from "@membus/agent-client";
import { Memory, type MemoryDependencies } from "@membus/agentic";
import { MemoryOptionsSchema } from "@membus/agentic/memory";
import { createLocalBus } from "@membus/bus";
import {
  isMemoryError,
  MemoryError,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  systemClock,
} from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { budgetOf } from "./config/budget-settings.js";
import type { Config, ConfigFile } from "./config/config-schema.js";
import { resolveConfig } from "./config/resolve-config.js";
import { definedOnly } from "./flags/defined-only.js";
import { natsOptions } from "./flags/nats-options.js";
import { createLogger } from "./logger.js";

export const OpenMemoryOptionsSchema = optionSet({
  /** URL of the NATS server. Absent: the setting `nats.url`, which NATS_URL sets. Without both: no server. */
  servers: option.text().optional(),
  /** Data folder of the host in this process. Absent: the setting `data`, by default `./.membus`. */
  data: option.text().optional(),
  /** Name of the agent. Absent: the setting `agent`, by default `cli`. */
  agent: option.text().optional(),
  ...MemoryOptionsSchema.shape,
  /** Budget of the calls of the model. Absent: the setting `budget`, by default no limit. */
  budget: MemoryOptionsSchema.shape.budget,
});

export interface OpenMemoryOptions extends OptionsOf<typeof OpenMemoryOptionsSchema> {}

/** A memory with its client. `close` also closes the connection and the host in this process. */
export class OpenedMemory extends Memory {
  readonly client: MemoryClient;
  readonly #stop: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(client: MemoryClient, parts: OpenedParts) {
    super(client, parts.options, parts.dependencies);
    this.client = client;
    this.#stop = parts.stop;
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await super.close();
    await this.client.close();
    await this.#stop();
  }
}

interface OpenedParts {
  readonly options: object;
  readonly dependencies: MemoryDependencies;
  readonly stop: () => Promise<void>;
}

/**
 * Opens a memory on the host of a NATS server. Without a server, it runs a host on a folder in this process.
 * Reads the settings as the command line does. Failures in the background are logged to standard error, unless
 * `dependencies` has a logger.
 * @throws {TypeError} for an unknown option or an invalid setting.
 * @throws {MemoryError} `conflict` if another process holds the folder, `unavailable` if the server cannot be
 * reached.
 */
export async function openMemory(
  options: OpenMemoryOptions = {},
  dependencies: MemoryDependencies = {},
): Promise<OpenedMemory> {
  const { servers, data, agent, ...memoryOptions } = parseOptions(OpenMemoryOptionsSchema, options);
  const flags: ConfigFile = definedOnly({
    data,
    agent,
    ...(servers !== undefined && { nats: { url: servers } }),
  });
  const config = await resolveConfig({ flags, env: process.env });
  const logger = createLogger(config.log_level);
  const place = config.nats.url === undefined ? await startHost(config, logger) : await serverOf(config);
  try {
    const { prefix, tenant, agent: name, session, namespace } = config;
    const client = await MemoryClient.connect({
      ...place.target,
      prefix,
      tenant,
      agent: name,
      session,
      namespace,
    });
    const { budget = budgetOf(config.budget), ...others } = memoryOptions;
    const options = { ...others, ...(budget !== undefined && { budget }) };
    const parts = { options, dependencies: { logger, ...dependencies }, stop: place.stop };
    return new OpenedMemory(client, parts);
  } catch (error) {
    await place.stop();
    throw error;
  }
}

async function serverOf(config: Config) {
  const { tier_subjects: tierSubjects } = config.nats;
  return { target: { ...(await natsOptions(config, "membus-memory")), tierSubjects }, stop: async () => {} };
}

/** Starts a host on a bus within this process. */
async function startHost(config: Config, logger: Logger) {
  const bus = createLocalBus({}, { logger, clock: systemClock });
  try {
    const { composeHost } = await import("./compose/compose-host.js");
    const { host } = await composeHost(config, { bus, logger, env: process.env });
    await host.start();
    const stop = async () => {
      await host.stop();
      await bus.close();
    };
    return { target: { bus }, stop };
  } catch (error) {
    await bus.close();
    if (!isMemoryError(error) || error.code !== "conflict") throw error;
    const advice = "If it is `membus up`, pass `servers` or set NATS_URL";
    throw new MemoryError("conflict", `${error.message}. ${advice}`, error.detail, { cause: error });
  }
}
