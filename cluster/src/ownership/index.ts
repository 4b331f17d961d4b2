export { type OwnershipOptions, OwnershipOptionsSchema } from "./ownership-options.js";
export { type HostRecord, hostKey, type PinRecord, parseOwnership, pinKey } from "./ownership-records.js";
export { OwnershipView } from "./ownership-view.js";
export { shardMoved } from "./shard-moved.js";
export { type OwnershipEvents, type OwnershipServices, ShardOwnership } from "./shard-ownership.js";
