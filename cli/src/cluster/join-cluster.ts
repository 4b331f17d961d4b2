import type { NatsBus } from "@membus/bus";
import {
  accountSpace,
  type ClusterIdentity,
  type ClusterStores,
  checkRouting,
  type Routing,
  requireCluster,
  requireTables,
  SpaceWatch,
} from "@membus/cluster";
import { KIT_DEFAULTS } from "@membus/plugin-kit";
import { TableBucket } from "@membus/plugin-lancedb/s3";
import { monotonicClock, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { Config } from "../config/config-schema.js";
import { DEFAULT_CLUSTER_NAME } from "../flags/cluster-flags.js";
import { readServerSpace } from "./server-space.js";
import { normalStore, tableBucketOptions } from "./table-store.js";

/** Time limit of one request to JetStream. */
const REQUEST_TIMEOUT_MS = 2_000;
/** A log starts a segment this often within the time limit of an erasure. */
const SEGMENTS_PER_ERASURE = 5;
/** Wait for the probes that show where the servers send requests. */
const PROBE_TIMEOUT_MS = 5_000;

export function bucketOptions({ cluster }: Config) {
  return { name: cluster?.name ?? DEFAULT_CLUSTER_NAME, requestTimeoutMs: REQUEST_TIMEOUT_MS };
}

export interface JoinParts {
  /** Id of the embedder, or null without one. */
  readonly embedder: string | null;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
}

export interface JoinedCluster {
  readonly identity: ClusterIdentity;
  readonly stores: ClusterStores;
}

/**
 * Opens the cluster of the settings for a host with this embedder. Writes nothing but objects that check its store.
 * @throws {TypeError} for an invalid store, or without credentials. Else as `requireCluster`, `requireTables` and
 * `checkRouting`.
 */
export async function joinCluster(
  config: Config,
  bus: NatsBus,
  { embedder, env, logger }: JoinParts,
): Promise<JoinedCluster> {
  const { prefix, cluster, kit } = config;
  const store = cluster?.store && normalStore(cluster.store);
  const options = { ...bucketOptions(config), report: { clock: monotonicClock, logger } };
  const { connection } = bus;
  const { bucket, identity } = await requireCluster(connection, options, { prefix, store, embedder });
  await checkRoutes(bus, identity);
  const tables = TableBucket.connect(tableBucketOptions(identity.store, env), systemClock);
  await requireTables(tables, identity);
  const { replicas } = identity;
  const segmentS = Math.floor((kit?.eraseWithinS ?? KIT_DEFAULTS.eraseWithinS) / SEGMENTS_PER_ERASURE);
  const log = { replicas, segmentS };
  const limits = { replicas, requestTimeoutMs: REQUEST_TIMEOUT_MS };
  const read = async () => [
    await accountSpace(connection, limits),
    ...(await readServerSpace(cluster?.monitoring ?? [])),
  ];
  const space = new SpaceWatch({ clock: monotonicClock, logger, replicas, read });
  const stores = { cluster: options.name, connection, bucket, tables, clock: monotonicClock, space, log };
  return { identity, stores };
}

/** Checks that the connected server sends the requests of each shard to the shard's subject. Errors as in `checkRouting`. */
export function checkRoutes(bus: NatsBus, routing: Routing): Promise<void> {
  const server = bus.connection.getServer();
  return checkRouting(bus, routing, { clock: monotonicClock, timeoutMs: PROBE_TIMEOUT_MS, server });
}
