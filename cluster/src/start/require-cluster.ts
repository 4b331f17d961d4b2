import type { TableBucket } from "@membus/plugin-lancedb/s3";
import { MemoryError } from "@membus/protocol";
import type { StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BucketOptions, ClusterBucket } from "../bucket/index.js";
import { type ClusterIdentity, readIdentity } from "./cluster-identity.js";
import { versionRemedy } from "./server-version.js";

/** The cluster that a host should join, as the host is configured. */
export interface ExpectedCluster extends Pick<ClusterIdentity, "prefix" | "embedder"> {
  /** Place of the tables, if the host is configured with one. */
  readonly store?: string | undefined;
}

export interface FoundCluster {
  readonly bucket: ClusterBucket;
  readonly identity: ClusterIdentity;
}

/**
 * Opens the bucket of a cluster for a host. Writes nothing.
 *
 * @throws {MemoryError} `runtime_error` for an old server, another prefix, embedder or place of the tables. Else as `findCluster`.
 */
export async function requireCluster(
  connection: NatsConnection,
  options: BucketOptions,
  expected: ExpectedCluster,
): Promise<FoundCluster> {
  requireVersion(connection.info?.version ?? "");
  const found = await findCluster(connection, options);
  requireIdentity(found.identity, expected);
  return found;
}

/**
 * Opens the bucket of a cluster. Writes nothing.
 *
 * @throws {MemoryError} `runtime_error` for a missing bucket, and for one that reads from replicas or has too few. `unavailable` if the
 * servers do not answer.
 */
export async function findCluster(connection: NatsConnection, options: BucketOptions): Promise<FoundCluster> {
  const { name } = options;
  const bucket = await ClusterBucket.open(connection, options);
  const info = await bucket.info();
  if (info === undefined)
    throw refusal(`there is no bucket ${name}`, "run `membus cluster init`, or correct `cluster.name`");
  const identity = await readIdentity(bucket);
  if (identity === undefined)
    throw refusal(`bucket ${name} belongs to no cluster`, "run `membus cluster init`");
  requireSettings(name, info, identity.replicas);
  return { bucket, identity };
}

/**
 * Requires tables of the cluster, and then checks their object store, which writes to it.
 * @throws {MemoryError} `runtime_error` unless the tables belong to the cluster. Else as in `TableBucket.check`.
 */
export async function requireTables(tables: TableBucket, { id, store }: ClusterIdentity): Promise<void> {
  const owner = await tables.owner();
  if (owner === undefined) throw refusal(`${store} belongs to no cluster`, "run `membus cluster init` again");
  if (owner !== id) throw refusal(`${store} belongs to cluster ${owner}, expected ${id}`, "use its bucket");
  await tables.check();
}

/** @throws {MemoryError} `runtime_error` for an old server. */
export function requireVersion(version: string): void {
  const remedy = versionRemedy(version);
  if (remedy !== undefined) throw refusal(`nats-server ${version} is too old for a cluster`, remedy);
}

/** @throws {MemoryError} `runtime_error` for a bucket that reads from replicas or has too few. */
export function requireSettings(name: string, { config }: StreamInfo, replicas: number): void {
  if (config.allow_direct)
    throw refusal(`bucket ${name} reads from replicas`, `set allow_direct of stream KV_${name} to false`);
  if (config.num_replicas >= replicas) return;
  const problem = `bucket ${name} has ${config.num_replicas} replicas, expected ${replicas}`;
  throw refusal(problem, `start ${replicas} nats-servers and set num_replicas of stream KV_${name}`);
}

function requireIdentity(found: ClusterIdentity, expected: ExpectedCluster): void {
  const { store = found.store, prefix, embedder } = expected;
  const check = (what: string, has: string | null, wanted: string | null, setting: string) => {
    if (has === wanted) return;
    const problem = `the cluster has the ${what} ${has ?? "none"}, and this host ${wanted ?? "none"}`;
    throw refusal(problem, `correct \`${setting}\``);
  };
  check("prefix", found.prefix, prefix, "prefix");
  check("store", found.store, store, "cluster.store");
  check("embedder", found.embedder, embedder, "embedder");
}

function refusal(problem: string, remedy: string): MemoryError {
  return new MemoryError("runtime_error", `${problem}: ${remedy}`, { reason: "cluster_mismatch" });
}
