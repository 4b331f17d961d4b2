export { openKvPlace, type ShardBackends, type ShardTier } from "./kv-place.js";
export { repeatWhileOwned } from "./repeat-while-owned.js";
export { holdShard, type ShardHold } from "./shard-hold.js";
