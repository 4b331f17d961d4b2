export { type OwnershipOptions, OwnershipOptionsSchema } from "./ownership-options.js";
export { OWNERSHIP_KEYS, parseOwnership } from "./ownership-records.js";
export { shardMoved } from "./shard-moved.js";
export { type OwnershipEvents, type OwnershipServices, ShardOwnership } from "./shard-ownership.js";
