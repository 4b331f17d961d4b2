import type { ClusterIdentity } from "@membus/cluster";

/** Returns the properties of a cluster for the output of a command. */
export function shownIdentity({
  id,
  store,
  prefix,
  embedder,
  shardCount,
  replicas,
  leaseMs,
}: ClusterIdentity) {
  return { cluster: id, store, prefix, embedder, shard_count: shardCount, replicas, lease_ms: leaseMs };
}
