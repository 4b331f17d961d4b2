import type { SpaceReserve, Storage, StorageFacts, TierPlace } from "@membus/plugin-kit";
import type { TableRecords } from "@membus/plugin-lancedb/s3";
import type { MemoryTier, MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ClusterBucket } from "../bucket/index.js";
import { EpochRecords } from "./epoch-records.js";
import { KvManifest } from "./kv-manifest.js";
import { kvMarkers } from "./kv-markers.js";
import { KvTableRecords } from "./kv-table-records.js";
import type { ShardHold } from "./shard-hold.js";

export interface ShardTier {
  readonly shard: number;
  readonly tier: MemoryTier;
  readonly hold: ShardHold;
  readonly bucket: ClusterBucket;
  readonly clock: MonotonicClock;
  readonly logger: Logger;
}

/** The log and the storage of a shard's tier. */
export interface ShardBackends extends Pick<TierPlace, "openLog"> {
  /** @param tables records of the tables of the tier. */
  createStorage(facts: StorageFacts, tables: TableRecords): Storage;
}

/** Nothing of a cluster fills a disk of the host. */
const NO_RESERVE: SpaceReserve = Object.freeze({
  isReleased: false,
  stats: Object.freeze({ disk_full: 0 }),
  release: () => Promise.resolve(false),
  releaseAll: () => Promise.resolve(false),
  restore: () => Promise.resolve(),
});

/** Opens the place of a tier of an owned shard. Other epochs are kept out by the records themselves. */
export function openKvPlace(
  { shard, tier, hold, bucket, clock, logger }: ShardTier,
  backends: ShardBackends,
): TierPlace {
  const records = new EpochRecords(bucket, hold, clock);
  const keyPrefix = `tier.${shard}.${tier}`;
  return {
    openLog: (recovery) => backends.openLog(recovery),
    createStorage: (facts) => backends.createStorage(facts, new KvTableRecords(records, keyPrefix)),
    manifest: new KvManifest(records, keyPrefix),
    markers: kvMarkers(records, keyPrefix, logger),
    reserve: NO_RESERVE,
    release: () => Promise.resolve(),
  };
}
