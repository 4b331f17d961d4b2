import { storageServices, type TierPlace } from "@membus/plugin-kit";
import { createLanceStorage, type LanceStorageOptions } from "@membus/plugin-lancedb";
import type { TableBucket } from "@membus/plugin-lancedb/s3";
import type { MonotonicClock } from "@membus/protocol";
import type { PluginServices } from "@membus/protocol/plugin";
import type { NatsConnection } from "@nats-io/transport-node";
import type { ClusterBucket } from "../bucket/index.js";
import { type SpaceWatch, type StreamLogOptions, streamLog } from "../log/index.js";
import { openKvPlace } from "../place/index.js";
import type { OwnedShard } from "./owned-shard.js";

/** Connection, buckets and options of the stores that all shards of a cluster share. */
export interface ClusterStores {
  /** Name of the cluster, with which the names of its streams begin. */
  readonly cluster: string;
  readonly connection: NatsConnection;
  readonly bucket: ClusterBucket;
  readonly tables: TableBucket;
  readonly clock: MonotonicClock;
  readonly space: SpaceWatch;
  readonly log?: Omit<StreamLogOptions, "name">;
  /** Options of the tables: caches and maintenance. */
  readonly storage?: LanceStorageOptions;
}

/** Opens the place of an owned shard's tier: its log in streams, its tables in a bucket of objects. */
export function openShardPlace(
  { cluster, connection, bucket, tables, clock, space, log, storage }: ClusterStores,
  { shard, hold, acceptLoss = false, givenUp = [] }: OwnedShard,
  services: PluginServices,
): TierPlace {
  const { tier, logger } = services;
  const context = { directory: "", acceptLoss, givenUp, ...storageServices(services) };
  const openLog = streamLog(
    { ...log, name: `${cluster}-${shard}-${tier}` },
    { connection, hold, clock, space },
  );
  return openKvPlace(
    { shard, tier, hold, bucket, clock, logger },
    {
      openLog: (recovery) => openLog("", recovery, services),
      createStorage: ({ id, keptContentId }, records) => {
        const store = tables.store({ id, records, ownership: hold, clock: services.clock, logger });
        return createLanceStorage({ ...context, keptContentId, store }, storage);
      },
    },
  );
}
