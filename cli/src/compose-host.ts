import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createHost, type Host, type HostOptions } from "@membus/host";
import { createMultilingualAnalyzer } from "@membus/languages";
import type { FileLogOptions, KitOptions } from "@membus/plugin-kit";
import type { LanceStorageOptions } from "@membus/plugin-lancedb";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin, type LruOptions } from "@membus/plugin-lru";
import { type Bus, type Logger, systemClock } from "@membus/protocol";
import { composeEmbedder } from "./compose-embedder.js";
import { composeReranker } from "./compose-reranker.js";
import type { Config } from "./config/config-schema.js";
import { definedOnly } from "./defined-only.js";
import { createLogger } from "./logger.js";

export interface ComposeOptions {
  readonly bus: Bus;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
  /** Cuts a corrupt log where the damage begins, and goes on. */
  readonly repair?: boolean;
}

/**
 * The host that the settings describe: lru for the working tier, lancedb for the other two, all with one analyzer.
 * Creates the data directory; the host is not started.
 */
export async function composeHost(config: Config, options: ComposeOptions): Promise<Host> {
  const { bus, logger, env, repair = false } = options;
  const embedder = await composeEmbedder(config, env, { clock: systemClock, logger });
  const reranker = await composeReranker(config, env, { clock: systemClock, logger });
  const directories = { episodic: join(config.data, "episodic"), semantic: join(config.data, "semantic") };
  for (const directory of Object.values(directories)) await mkdir(directory, { recursive: true });
  const analyzer = createMultilingualAnalyzer();
  const durable = definedOnly({
    analyzer,
    kit: config.kit as KitOptions | undefined,
    log: { ...(config.log as FileLogOptions | undefined), durability: config.durability, repair },
    storage: config.storage as LanceStorageOptions | undefined,
  });
  return createHost(
    {
      bus,
      logger,
      clock: systemClock,
      dataDirectories: directories,
      ...(embedder === undefined ? {} : { embedder }),
      ...(reranker === undefined ? {} : { reranker }),
      ...(config.audit === true ? { audit: createLogger("info") } : {}),
      plugins: {
        working: createLruPlugin(config.lru as LruOptions | undefined, analyzer),
        episodic: createLanceDbPlugin(durable),
        semantic: createLanceDbPlugin(durable),
      },
    },
    hostOptions(config),
  );
}

function hostOptions(config: Config): HostOptions {
  return {
    prefix: config.prefix,
    ...(config.tenants === undefined ? {} : { tenants: config.tenants }),
    ...(config.host as HostOptions | undefined),
  };
}
