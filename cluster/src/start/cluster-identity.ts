import { MemoryError } from "@membus/protocol";
import { z } from "zod";
import type { ClusterBucket } from "../bucket/index.js";

const KEY = "cluster";
/** Version of the records of a cluster. */
const FORMAT = 1;

/** Properties of a cluster. They never change. */
const ClusterIdentitySchema = z.object({
  format: z.literal(FORMAT).default(FORMAT),
  /** A UUID. */
  id: z.string(),
  shardCount: z.int(),
  /** First tokens of request subjects. */
  prefix: z.string(),
  /** Place of the tables, such as `s3://bucket/prefix`. */
  store: z.string(),
  /** Id of the embedder of all hosts. Null without one. */
  embedder: z.string().nullable(),
  /** Servers that store each record. */
  replicas: z.int(),
  /** Lease of every host, in milliseconds. */
  leaseMs: z.int(),
});
export type ClusterIdentity = z.input<typeof ClusterIdentitySchema>;

/**
 * Returns the identity that the bucket was created with. Undefined for another bucket.
 * @throws {MemoryError} `runtime_error` for an identity of a later version, else as in the bucket.
 */
export async function readIdentity(bucket: ClusterBucket): Promise<ClusterIdentity | undefined> {
  const entry = await bucket.get(KEY);
  if (entry?.value === undefined) return undefined;
  try {
    return ClusterIdentitySchema.parse(JSON.parse(Buffer.from(entry.value).toString()));
  } catch (cause) {
    const message = "the cluster's record is damaged or of a later version: upgrade membus";
    throw new MemoryError("runtime_error", message, { reason: "cluster_mismatch" }, { cause });
  }
}

/** Gives a new bucket to a cluster. @throws {MemoryError} `conflict` for a bucket that has an identity. */
export async function writeIdentity(bucket: ClusterBucket, identity: ClusterIdentity): Promise<void> {
  const value = JSON.stringify(ClusterIdentitySchema.parse(identity));
  if ((await bucket.write(KEY, value, 0)) !== undefined) return;
  const found = await readIdentity(bucket);
  const message = `the bucket belongs to cluster ${found?.id ?? "?"}: use another bucket for a new cluster`;
  throw new MemoryError("conflict", message, { reason: "cluster_exists" });
}
