import type { VectorBatch } from "@membus/plugin-kit";
import type { RecordBatch } from "apache-arrow";
import type { TenantTable } from "../table/tenant-table.js";
import { probedPartitions } from "../table/vector-index.js";
import { checkSums, vectorSums } from "./checksums.js";
import { and, compare, isIn } from "./filters.js";
import { componentsOf, dataOf, vectorsOf } from "./row-columns.js";
import { type Column, ROWS_MAX } from "./schema.js";
import { TextColumn } from "./text-column.js";

const COLUMNS: Column[] = ["row_id", "embedder", "vector", "vector_sum"];

/** Receives vectors by row id. */
type Vectors = Map<number, Float32Array>;

/**
 * Adds the vectors of rows of a scope. Rows without one are left out.
 * @throws {MemoryError} `runtime_error` for a damaged vector.
 */
export async function readVectors(
  table: TenantTable,
  { scope, rowIds }: { readonly scope: string; readonly rowIds: readonly number[] },
  into: Vectors,
): Promise<void> {
  const where = and(isIn("row_id", rowIds), compare("scope", "=", scope));
  await unlessReplaced(table, () =>
    table.readInTurn("bodies", async (lance) => {
      const query = lance.query().where(where).select(COLUMNS).limit(rowIds.length);
      for await (const batch of query) addVectors(table, scope, batch, into);
    }),
  );
}

/**
 * Adds the vectors of about `count` rows of a scope that are near to a vector. Errors as in `readVectors`.
 */
export async function readNearest(
  table: TenantTable,
  { scope, vector, count }: { readonly scope: string; readonly vector: Float32Array; readonly count: number },
  into: Vectors,
): Promise<void> {
  table.vectorIndex.isWanted = true;
  if (!table.vectors.hasHostDimensions) return;
  await unlessReplaced(table, () =>
    table.readInTurn("rows", async (lance) => {
      const query = lance
        .query()
        .nearestTo(vector)
        .column("vector" satisfies Column)
        .distanceType("cosine")
        .nprobes(probedPartitions(table.rowCount))
        .where(compare("scope", "=", scope))
        // LanceDB returns the distance anyway, and warns if it was not asked for.
        .select([...COLUMNS, "_distance"])
        .limit(count);
      for await (const batch of query) addVectors(table, scope, batch, into);
    }),
  );
}

/** Finds nothing if the column is replaced during the read, which happens once per embedder. */
async function unlessReplaced(table: TenantTable, read: () => Promise<void>): Promise<void> {
  const { dimensions } = table.vectors;
  try {
    await read();
  } catch (error) {
    await table.gate.shared(async () => undefined);
    if (table.vectors.dimensions === dimensions) throw error;
  }
}

/**
 * Passes the vectors of all rows of a scope to `take`. Errors as in `readVectors`, and an error if the column is
 * replaced during the read.
 */
export async function readAllVectors(
  table: TenantTable,
  scope: string,
  take: (batch: VectorBatch) => void,
): Promise<void> {
  if (!table.vectors.hasHostDimensions) return;
  await table.readInTurn("rows", async (lance) => {
    const query = lance
      .query()
      .where(compare("scope", "=", scope))
      .select(COLUMNS)
      .limit(ROWS_MAX);
    for await (const batch of query) take(toVectorBatch(table, scope, batch));
  });
}

function addVectors(table: TenantTable, scope: string, batch: RecordBatch, into: Vectors): void {
  if (batch.numRows === 0) return;
  const { dimensions } = table.vectors;
  const { rowIds, vectors, hasVector } = toVectorBatch(table, scope, batch);
  for (let row = 0; row < rowIds.length; row++)
    if (hasVector(row)) into.set(rowIds[row]!, vectors.slice(row * dimensions, (row + 1) * dimensions));
}

/** Converts a batch with `COLUMNS`. @throws {MemoryError} `runtime_error` for a damaged vector. */
function toVectorBatch(
  { vectors: { dimensions } }: TenantTable,
  scope: string,
  batch: RecordBatch,
): VectorBatch {
  const ids = dataOf(batch, "row_id").values as Float64Array;
  const embedders = new TextColumn(dataOf(batch, "embedder"));
  const vectors = vectorsOf(batch, dimensions);
  const found = vectorSums(vectors, (row) => embedders.at(row));
  checkSums(found, dataOf(batch, "vector_sum"), (row) => `the vector of row ${ids[row]} of ${scope}`);
  return {
    rowIds: ids.subarray(0, batch.numRows),
    vectors: componentsOf(vectors, dimensions),
    hasVector: (row) => vectors.getValid(row),
  };
}
