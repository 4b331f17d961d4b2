import { randomUUID } from "node:crypto";
import type { TableBucket } from "@membus/plugin-lancedb/s3";
import { MemoryError } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BucketOptions, ClusterBucket, createClusterBucket } from "../bucket/index.js";
import { type ClusterIdentity, readIdentity, writeIdentity } from "./cluster-identity.js";
import { requireSettings, requireVersion } from "./require-cluster.js";

/**
 * Creates a cluster: its bucket, its identity, and the mark of its tables. Completes a creation that was interrupted.
 * Writes nothing to the object store unless its tables may belong to the cluster, and the servers are suitable.
 *
 * @throws {MemoryError} `conflict` if the bucket or the tables belong to another cluster, or if the cluster exists with other
 * properties. `runtime_error` for an old server, or fewer servers than replicas. `unavailable` if a server does not answer. Else as in `TableBucket.check`.
 */
export async function createCluster(
  connection: NatsConnection,
  options: BucketOptions,
  wanted: Omit<ClusterIdentity, "id">,
  tables: TableBucket,
): Promise<{ readonly identity: ClusterIdentity; readonly isNew: boolean }> {
  requireVersion(connection.info?.version ?? "");
  const bucket = await ClusterBucket.open(connection, options);
  const found = (await bucket.info()) && (await readIdentity(bucket));
  if (found !== undefined) requireSame(options.name, found, wanted);
  const identity = found ?? { ...wanted, id: randomUUID() };
  const owner = await tables.owner();
  if (owner !== undefined && owner !== identity.id) throw otherOwner(wanted.store, owner);
  await createClusterBucket(connection, options.name, wanted.replicas);
  requireSettings(options.name, (await bucket.info())!, wanted.replicas);
  await tables.check();
  if (found === undefined) await writeIdentity(bucket, identity);
  if (!(await tables.claim(identity.id))) throw otherOwner(wanted.store, (await tables.owner()) ?? "?");
  return { identity, isNew: found === undefined };
}

function requireSame(
  name: string,
  found: ClusterIdentity,
  wanted: Readonly<Omit<ClusterIdentity, "id">>,
): void {
  const different = (Object.keys(wanted) as (keyof typeof wanted)[]).find(
    (property) => found[property] !== wanted[property],
  );
  if (different === undefined) return;
  const message = `bucket ${name} has a cluster with ${different} ${found[different]}, not ${wanted[different]}: repeat its values, or use another cluster name and prefix`;
  throw new MemoryError("conflict", message, { reason: "cluster_exists" });
}

function otherOwner(store: string, owner: string): MemoryError {
  const message = `${store} belongs to cluster ${owner}: use another bucket or prefix in --store for a new cluster`;
  return new MemoryError("conflict", message, { reason: "cluster_exists" });
}
