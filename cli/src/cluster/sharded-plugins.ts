import { type OwnedShard, openShardPlace, ShardedPlugin } from "@membus/cluster";
import { createMultilingualAnalyzer } from "@membus/languages";
import type { KitPlugin } from "@membus/plugin-kit";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { type MemoryTier, TIERS } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { storageQuotas } from "../config/quotas.js";
import { definedOnly } from "../flags/defined-only.js";
import type { JoinedCluster } from "./join-cluster.js";
import { perShard } from "./per-shard.js";

export type ShardedPlugins = Partial<Record<MemoryTier, ShardedPlugin<KitPlugin>>>;

/** Returns the tiers of a host in a cluster. @throws {TypeError} for a tier with a plugin that is not built in. */
export function shardedPlugins(config: Config, { identity, stores }: JoinedCluster): ShardedPlugins {
  const { shardCount } = identity;
  const settings = perShard(config, shardCount);
  const { lru, kit, storage, quotas } = settings;
  const analyzer = createMultilingualAnalyzer();
  const working = () => createLruPlugin(lru, analyzer, storageQuotas(quotas));
  const durable = (tier: Exclude<MemoryTier, "working">) => (owned?: OwnedShard) =>
    createLanceDbPlugin({
      ...definedOnly({ analyzer, kit, quotas: quotas?.[tier], acceptLoss: owned?.acceptLoss }),
      openPlace: async (services) => openShardPlace({ ...stores, storage: storage! }, owned!, services),
    });
  const plugins: ShardedPlugins = {};
  for (const tier of TIERS) {
    if (config.plugins[tier] === "none") continue;
    if (config.plugins[tier] !== undefined)
      throw new TypeError(`plugins.${tier}: a cluster works only with the built-in plugins`);
    const createPlugin = tier === "working" ? working : durable(tier);
    const template = createPlugin();
    const manifestOf = template.manifestFor.bind(template);
    plugins[tier] = new ShardedPlugin({ shardCount, manifestOf, createPlugin });
  }
  return plugins;
}
