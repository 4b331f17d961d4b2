import { createHost, type Host, type HostOptions } from "@membus/host";
import { systemClock } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { ensureAuditSecret, readAuditSecret } from "../audit/audit-secret.js";
import type { Config } from "../config/config-schema.js";
import { rateQuotas } from "../config/quotas.js";
import { createLogger } from "../logger.js";
import { composeEmbedder } from "./compose-embedder.js";
import { type ComposedPlugins, composePlugins, type StartOptions } from "./compose-plugins.js";
import { composeReranker } from "./compose-reranker.js";

export interface ComposeOptions extends Partial<StartOptions> {
  readonly bus: Bus;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
}

/** A host and the plugins that serve its tiers. */
export interface ComposedHost extends ComposedPlugins {
  readonly host: Host;
}

/**
 * Creates the host that the settings describe, and its data directory. The host is not started.
 * @throws {TypeError} for invalid settings, or plugins that cannot be loaded.
 */
export async function composeHost(config: Config, options: ComposeOptions): Promise<ComposedHost> {
  const { bus, logger, env, repair = false, acceptLoss = false, readOnly = false } = options;
  const embedder = await composeEmbedder(config, env, { clock: systemClock, logger });
  const reranker = await composeReranker(config, env, { clock: systemClock, logger });
  const { plugins, dataDirectories } = await composePlugins(config, { repair, acceptLoss, readOnly });
  const host = createHost(
    {
      bus,
      logger,
      clock: systemClock,
      plugins,
      dataDirectories,
      ...(embedder === undefined ? {} : { embedder }),
      ...(reranker === undefined ? {} : { reranker }),
      ...(config.audit && {
        audit: createLogger("info"),
        auditSecret: await (readOnly ? readAuditSecret : ensureAuditSecret)(config.data),
      }),
    },
    hostOptions(config),
  );
  return { host, plugins, dataDirectories };
}

function hostOptions(config: Config): HostOptions {
  return {
    prefix: config.prefix,
    tenants: config.tenants,
    rules: config.rules,
    rates: rateQuotas(config.quotas),
    ...config.host,
  };
}
