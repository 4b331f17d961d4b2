import { createHost, type Host, type HostDependencies } from "@membus/host";
import { systemClock } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { composeAudit, ensureAuditSecret, readAuditSecret } from "../audit/audit-secret.js";
import type { Config } from "../config/config-schema.js";
import { rateQuotas } from "../config/quotas.js";
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
  const providers = await composeProviders(config, env, logger);
  const { plugins, dataDirectories } = await composePlugins(config, { repair, acceptLoss, readOnly });
  const audit = await composeAudit(config, readOnly ? readAuditSecret : ensureAuditSecret);
  const parts = { bus, logger, plugins, dataDirectories, ...providers, ...audit };
  return { host: createConfiguredHost(config, parts), plugins, dataDirectories };
}

/** Returns the configured embedder and reranker. @throws {TypeError} for invalid settings. */
export async function composeProviders(
  config: Config,
  env: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<Pick<HostDependencies, "embedder" | "reranker">> {
  const embedder = await composeEmbedder(config, env, { clock: systemClock, logger });
  const reranker = await composeReranker(config, env, { clock: systemClock, logger });
  return { ...(embedder && { embedder }), ...(reranker && { reranker }) };
}

/** Creates a host with the settings of hosts: prefix, tenants, rules, rates and bounds. */
export function createConfiguredHost(config: Config, dependencies: Omit<HostDependencies, "clock">): Host {
  const { prefix, tenants, rules, quotas, host } = config;
  const options = { prefix, tenants, rules, rates: rateQuotas(quotas), ...host };
  return createHost({ ...dependencies, clock: systemClock }, options);
}
