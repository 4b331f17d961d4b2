export { openKvPlace, type ShardBackends, type ShardTier } from "./kv-place.js";
export { holdShard, type ShardHold } from "./shard-hold.js";
