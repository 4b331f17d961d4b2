export type { OwnedShard } from "./owned-shard.js";
export { type ClusterStores, openShardPlace } from "./shard-place.js";
export { type ServedShard, type ShardServers, ShardServing } from "./shard-serving.js";
export { ShardedBus } from "./sharded-bus.js";
export { ShardedPlugin, type ShardedTier } from "./sharded-plugin.js";
export { sumStats } from "./sum-stats.js";
