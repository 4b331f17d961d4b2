import { MemoryError } from "@membus/protocol";
import type { BucketEntry, ClusterBucket } from "../bucket/index.js";
import { type HostRecord, hostKey, type PinRecord, parseOwnership, pinKey } from "../ownership/index.js";

/** Attempts to replace a record. A running host replaces the record of its lease ten times per lease. */
const ATTEMPTS_MAX = 20;

/**
 * Makes a running host give its shards to others and take none, until it is restarted.
 * @param isDrained false lets the host take shards again.
 * @throws {MemoryError} `conflict` for a host that does not run. Else as in the bucket.
 */
export async function drainHost(bucket: ClusterBucket, host: string, isDrained: boolean): Promise<void> {
  await replace(bucket, hostKey(host), (entry) => {
    const named = entry && parseOwnership(entry.key, entry.value);
    const record = named?.kind === "host" ? named.record : undefined;
    if (!record?.instance) throw new MemoryError("conflict", `no host ${host} runs in this cluster`);
    return { ...record, isLeaving: isDrained } satisfies HostRecord;
  });
}

/**
 * Chooses the host that should own a shard. The shard moves to it as soon as it takes shards.
 * @param host undefined lets the cluster choose again.
 * @throws {MemoryError} as in the bucket.
 */
export async function pinShard(
  bucket: ClusterBucket,
  shard: number,
  host: string | undefined,
): Promise<void> {
  await replace(bucket, pinKey(shard), () => ({ host: host ?? "" }) satisfies PinRecord);
}

async function replace(
  bucket: ClusterBucket,
  key: string,
  change: (entry: BucketEntry | undefined) => object,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const entry = await bucket.get(key);
    const written = await bucket.write(key, JSON.stringify(change(entry)), entry?.revision ?? 0);
    if (written !== undefined) return;
  }
  throw new MemoryError("conflict", `the record ${key} changed ${ATTEMPTS_MAX} times: try again`);
}
