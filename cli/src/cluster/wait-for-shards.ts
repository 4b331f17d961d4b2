import { delay, MemoryError, monotonicClock, systemClock } from "@membus/protocol";
import { type ReportedCluster, readShards } from "./read-shards.js";
import type { ClusterAccess } from "./with-cluster.js";

const POLL_MS = 500;

/** How long a command waits for its effect. */
export interface Waiting {
  readonly waitS: number;
}

/** @throws {TypeError} for a shard that the cluster does not have. */
export function requireShard({ identity: { shardCount } }: ClusterAccess, shard: number): void {
  if (!Number.isInteger(shard) || shard < 0 || shard >= shardCount)
    throw new TypeError(`the cluster has the shards 0..${shardCount - 1}, got ${shard}`);
}

/**
 * Repeats `look` until it returns nothing left to wait for.
 * @throws {MemoryError} `timeout` with the last text of `look`.
 */
export async function until(
  access: ClusterAccess,
  waitS: number,
  look: (status: ReportedCluster) => Promise<string | undefined>,
): Promise<void> {
  const endMs = monotonicClock.elapsedMs() + waitS * 1_000;
  for (;;) {
    const left = await look(await readShards(access));
    if (left === undefined) return;
    if (monotonicClock.elapsedMs() >= endMs)
      throw new MemoryError("timeout", `${left} after ${waitS} s. The change goes on`);
    await delay(systemClock, POLL_MS);
  }
}
