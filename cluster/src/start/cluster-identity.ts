import { MemoryError } from "@membus/protocol";
import { z } from "zod";
import type { ClusterBucket } from "../bucket/index.js";

const KEY = "cluster";

/** Properties of a cluster that never change. */
const ClusterIdentitySchema = z.object({
  /** A UUID. */
  id: z.string(),
  shardCount: z.int(),
  /** First tokens of request subjects. */
  prefix: z.string(),
});
export type ClusterIdentity = z.output<typeof ClusterIdentitySchema>;

/** Returns the identity that the bucket was created with. Undefined for another bucket. */
export async function readIdentity(bucket: ClusterBucket): Promise<ClusterIdentity | undefined> {
  const entry = await bucket.get(KEY);
  if (entry?.value === undefined) return undefined;
  try {
    return ClusterIdentitySchema.parse(JSON.parse(Buffer.from(entry.value).toString()));
  } catch {
    return undefined;
  }
}

/** Gives a new bucket to a cluster. @throws {MemoryError} `conflict` for a bucket that has an identity. */
export async function writeIdentity(bucket: ClusterBucket, identity: ClusterIdentity): Promise<void> {
  if ((await bucket.write(KEY, JSON.stringify(identity), 0)) !== undefined) return;
  const found = await readIdentity(bucket);
  const message = `the bucket belongs to cluster ${found?.id ?? "?"}: use another bucket for a new cluster`;
  throw new MemoryError("conflict", message, { reason: "cluster_exists" });
}
