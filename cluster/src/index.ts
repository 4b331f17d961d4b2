export {
  type AccountSpaceOptions,
  accountSpace,
  type BucketOptions,
  ClusterBucket,
  type StorageSpace,
} from "./bucket/index.js";
export {
  SpaceWatch,
  type SpaceWatchParts,
  type StreamLogOptions,
  StreamLogOptionsSchema,
  type StreamLogServices,
  streamLog,
} from "./log/index.js";
export { drainHost, pinShard } from "./operate/index.js";
export {
  type OwnershipEvents,
  type OwnershipOptions,
  OwnershipOptionsSchema,
  type OwnershipServices,
  ShardOwnership,
} from "./ownership/index.js";
export { holdShard, openKvPlace, type ShardBackends, type ShardHold, type ShardTier } from "./place/index.js";
export {
  checkRouting,
  controlSubject,
  entriesSubject,
  mappingLines,
  parseShardSubject,
  type RequestListener,
  type Routing,
  type SubjectMapping,
  shardMappings,
  shardOf,
  subscribeShard,
} from "./routing/index.js";
export {
  type ClusterStores,
  type OwnedShard,
  openShardPlace,
  type ServedShard,
  ShardedBus,
  ShardedPlugin,
  type ShardedTier,
  type ShardServers,
  ShardServing,
  sumStats,
} from "./serving/index.js";
export {
  type ClusterIdentity,
  createCluster,
  type ExpectedCluster,
  findCluster,
  requireCluster,
  requireTables,
  versionRemedy,
} from "./start/index.js";
export { type ClusterStatus, type HostStatus, readStatus, type ShardStatus } from "./status/index.js";
