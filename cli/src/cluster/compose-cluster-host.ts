import { hostname } from "node:os";
import type { NatsBus } from "@membus/bus";
import {
  type ClusterIdentity,
  controlSubject,
  entriesSubject,
  ShardedBus,
  ShardServing,
} from "@membus/cluster";
import type { Host } from "@membus/host";
import { monotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { composeAudit, readAuditSecret } from "../audit/audit-secret.js";
import { composeProviders, createConfiguredHost } from "../compose/compose-host.js";
import { fitToMemory } from "../compose/memory-budget.js";
import type { Config } from "../config/config-schema.js";
import type { MemoryLimit } from "../config/memory-limit.js";
import { joinCluster } from "./join-cluster.js";
import { requireServerSettings, UNCHECKED } from "./server-settings.js";
import { controlCommands, entriesCommands } from "./shard-commands.js";
import { serveShardControl } from "./shard-control.js";
import { shardedPlugins } from "./sharded-plugins.js";

const NAME_LENGTH_MAX = 64;

export interface ClusterHost {
  readonly host: Host;
  /** Name of the host in the cluster. */
  readonly name: string;
  readonly identity: ClusterIdentity;
  /** Begins to acquire shards and to run commands of operators. The host must be started. */
  serve(): ShardServing;
}

export interface ClusterHostParts {
  readonly bus: NatsBus;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
  readonly limit: MemoryLimit;
}

/**
 * Creates a host of the cluster that the settings describe, within the memory limit. The host is not started.
 * @throws {TypeError} for invalid settings. Else as `requireServerSettings` and `joinCluster` do.
 */
export async function composeClusterHost(
  given: Config,
  { bus, logger, env, limit }: ClusterHostParts,
): Promise<ClusterHost> {
  const providers = await composeProviders(given, env, logger);
  const { monitoring = [] } = given.cluster ?? {};
  if (monitoring.length === 0) logger.warn({}, UNCHECKED);
  await requireServerSettings(monitoring, (problem) => logger.warn({}, problem));
  const embedder = providers.embedder?.id ?? null;
  const joined = await joinCluster(given, bus, { embedder, env, logger });
  const { identity, stores } = joined;
  const config = fitToMemory(given, limit, identity.shardCount);
  const plugins = shardedPlugins(config, joined);
  const shardedBus = new ShardedBus(bus);
  const name = config.cluster?.host ?? hostName();
  const membership = { cluster: identity.id, clusterHost: name };
  // All hosts have the same secret, so none creates it.
  const audit = await composeAudit(config, readAuditSecret);
  const host = createConfiguredHost(config, {
    bus: shardedBus,
    plugins,
    logger,
    ...membership,
    ...providers,
    ...audit,
  });
  const serve = () => {
    const { shardCount, leaseMs } = identity;
    const serving = new ShardServing(
      { host: name, shardCount, leaseMs },
      { bucket: stores.bucket, clock: monotonicClock, logger },
      { bus: shardedBus, tiers: Object.values(plugins) },
    );
    const served = { id: identity.id, serving };
    serveShardControl(bus, controlSubject("*"), served, controlCommands(serving, plugins));
    serveShardControl(
      bus,
      entriesSubject("*"),
      served,
      entriesCommands(plugins, shardCount, bus.maxPayloadBytes),
    );
    return serving;
  };
  return { host, name, identity, serve };
}

/** Returns the name of the machine as a token of a subject. */
function hostName(): string {
  return hostname()
    .replace(/[^A-Za-z0-9_-]/g, "-")
    .slice(0, NAME_LENGTH_MAX);
}
