import { lancedb } from "../lancedb.js";
import { indexing } from "./indexing.js";
import { type TenantTable, VECTOR_INDEX } from "./tenant-table.js";

/** Minimum rows of a table with an index. LanceDB compares all vectors of a smaller one in a few milliseconds. */
const ROWS_MIN = 16_384;
/** Rows per partition of the index. */
const PARTITION_ROWS = 1_000;
const PARTITIONS_MAX = 4_000;
/** Limit of the vectors in RAM while partitions are chosen. Bytes. */
const SAMPLE_BYTES_MAX = 128 * 1024 * 1024;
/** Sampled vectors per partition. LanceDB's default is the maximum. */
const SAMPLE_RATE = { min: 16, max: 256 };
/** One in this many partitions is searched, within these limits. */
const PROBED_DIVISOR = 5;
const PROBED = { min: 20, max: 400 };

export function needsVectorIndex({ vectorIndex, rowCount }: TenantTable): boolean {
  return vectorIndex.isWanted && !vectorIndex.isBuilt && rowCount >= ROWS_MIN;
}

/** Returns the number of partitions that a search looks into. */
export function probedPartitions(rowCount: number): number {
  return between(PROBED, Math.ceil(partitionsOf(rowCount) / PROBED_DIVISOR));
}

/** Builds the index, which takes about half a minute for a million rows of 128 components. */
export async function buildVectorIndex(table: TenantTable): Promise<void> {
  const { dimensions } = table.vectors;
  const numPartitions = partitionsOf(table.rowCount);
  const partitionBytes = Float32Array.BYTES_PER_ELEMENT * dimensions * numPartitions;
  const sampleRate = between(SAMPLE_RATE, Math.floor(SAMPLE_BYTES_MAX / partitionBytes));
  const options = { distanceType: "cosine", numPartitions, sampleRate } as const;
  const { Index } = lancedb();
  // Codes of one bit per component need whole bytes. The other index has the vectors themselves.
  const config = dimensions % 8 === 0 ? Index.ivfRq(options) : Index.ivfFlat(options);
  await indexing(() => table.commit((lance) => lance.createIndex("vector", { config, name: VECTOR_INDEX })));
  table.vectorIndex.isBuilt = true;
}

/** Removes the index, because it was made from vectors of removed rows, too. The next search wants a new one. */
export async function dropVectorIndex(table: TenantTable): Promise<void> {
  if (!table.vectorIndex.isBuilt) return;
  await table.commit((lance) => lance.dropIndex(VECTOR_INDEX));
  Object.assign(table.vectorIndex, { isWanted: false, isBuilt: false });
}

function partitionsOf(rowCount: number): number {
  return between({ min: 1, max: PARTITIONS_MAX }, Math.round(rowCount / PARTITION_ROWS));
}

function between({ min, max }: { readonly min: number; readonly max: number }, value: number): number {
  return Math.min(max, Math.max(min, value));
}
