import { MemoryError } from "@membus/protocol";
import { jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BucketOptions, ClusterBucket, isMissingStream, storeError } from "../bucket/index.js";
import { type ClusterIdentity, readIdentity } from "./cluster-identity.js";

/** Earlier servers lose acknowledged writes, or refuse requests of the log. */
const SERVER_MIN = { major: 2, minor: 14 };

/** The cluster that a host should join. */
export interface ExpectedCluster extends Pick<ClusterIdentity, "shardCount" | "prefix"> {
  /** Id of the cluster, if the host has joined it before or its tables name it. */
  readonly id?: string | undefined;
  /** Copies of each record that the host's durability needs. */
  readonly replicas: number;
}

/**
 * Opens the bucket of a cluster for a host. Writes nothing.
 *
 * @throws {MemoryError} `runtime_error` for an old server, for a missing bucket, and for one that reads from replicas or has too few.
 * The same for another cluster, number of shards or prefix. `unavailable` if the servers do not answer.
 */
export async function requireCluster(
  connection: NatsConnection,
  options: BucketOptions,
  expected: ExpectedCluster,
): Promise<{ readonly bucket: ClusterBucket; readonly identity: ClusterIdentity }> {
  const { name } = options;
  requireVersion(connection.info?.version ?? "");
  requireSettings(name, await findStream(connection, name), expected.replicas);
  const bucket = await ClusterBucket.open(connection, options);
  const identity = await readIdentity(bucket);
  if (identity === undefined) throw refusal(`bucket ${name} belongs to no cluster`, "create a cluster in it");
  requireIdentity(name, identity, expected);
  return { bucket, identity };
}

function requireVersion(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > SERVER_MIN.major || (major === SERVER_MIN.major && minor >= SERVER_MIN.minor)) return;
  const needed = `${SERVER_MIN.major}.${SERVER_MIN.minor}`;
  throw refusal(`nats-server ${version} is too old for a cluster`, `install version ${needed} or later`);
}

async function findStream(connection: NatsConnection, name: string): Promise<StreamInfo> {
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    return await streams.info(`KV_${name}`);
  } catch (error) {
    if (!isMissingStream(error)) throw storeError(error);
    throw refusal(`there is no bucket ${name}`, "create the cluster first, or correct its name");
  }
}

function requireSettings(name: string, { config }: StreamInfo, replicas: number): void {
  if (config.allow_direct)
    throw refusal(`bucket ${name} reads from replicas`, `set allow_direct of stream KV_${name} to false`);
  if (config.num_replicas >= replicas) return;
  const problem = `bucket ${name} has ${config.num_replicas} replicas, expected ${replicas}`;
  throw refusal(problem, `start ${replicas} nats-servers and set num_replicas of stream KV_${name}`);
}

function requireIdentity(name: string, found: ClusterIdentity, expected: ExpectedCluster): void {
  const { id = found.id, shardCount, prefix } = expected;
  if (found.id !== id)
    throw refusal(`bucket ${name} belongs to cluster ${found.id}, expected ${id}`, "correct its name");
  if (found.shardCount !== shardCount)
    throw refusal(
      `the cluster has ${found.shardCount} shards, expected ${shardCount}`,
      "configure its number",
    );
  if (found.prefix !== prefix)
    throw refusal(`the cluster has the prefix ${found.prefix}, expected ${prefix}`, "configure its prefix");
}

function refusal(problem: string, remedy: string): MemoryError {
  return new MemoryError("runtime_error", `${problem}: ${remedy}`, { reason: "cluster_mismatch" });
}
