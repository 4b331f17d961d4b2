import type { RowSink } from "@membus/plugin-kit";
import type { RecordBatch } from "apache-arrow";
import { and, compare, type Filter, isIn } from "./filters.js";
import { toRowColumns } from "./row-columns.js";
import { type Column, LOADED_COLUMNS } from "./schema.js";
import type { TenantTable } from "./tenant-table.js";

/** LanceDB wants to be told; no table comes near. */
const ROWS_MAX = 100_000_000;
/** LanceDB's own batches hold a fourth of this; each costs as much as the reading of some hundred rows. */
const LOADED_BATCH_ROWS = 4_096;

/** Passes all rows of a scope on as they come, without bodies. LanceDB reads on while they are taken in. */
export async function readScope(table: TenantTable, scope: string, into: RowSink): Promise<void> {
  const where = compare("scope", "=", scope);
  const vector: Column[] = table.hasVectors ? ["vector"] : [];
  const dimensions = table.hasVectors ? table.dimensions : 0;
  await table.read(async (lance) => {
    into.reserve(await lance.countRows(where));
    const query = lance
      .query()
      .where(where)
      .select([...LOADED_COLUMNS, ...vector])
      .limit(ROWS_MAX);
    // biome-ignore lint/complexity/useLiteralKeys: protected, but the only way to batches of another size one by one
    const batches = query["execute"]({ maxBatchLength: LOADED_BATCH_ROWS });
    for await (const batch of batches) into.take(toRowColumns(batch, dimensions));
  });
}

/** Adds the bodies of the rows of a scope to `bodies`. */
export async function readBodies(
  table: TenantTable,
  { scope, rowIds }: { readonly scope: string; readonly rowIds: readonly number[] },
  bodies: Map<number, string>,
): Promise<void> {
  const where = and(isIn("row_id", rowIds), compare("scope", "=", scope));
  for (const batch of await readBatches(table, where, ["row_id", "body"])) {
    const ids = batch.getChild("row_id")!;
    const texts = batch.getChild("body")!;
    for (let row = 0; row < batch.numRows; row++)
      bodies.set(ids.get(row) as number, texts.get(row) as string);
  }
}

/** Adds every scope that has rows in the table to `scopes`. */
export async function readScopes(table: TenantTable, scopes: Set<string>): Promise<void> {
  const column: Column = "scope";
  await table.read(async (lance) => {
    for await (const batch of lance.query().select([column]).limit(ROWS_MAX)) {
      for (const scope of batch.getChild(column)!) scopes.add(scope as string);
    }
  });
}

/** Batches come one by one, so other work gets its turn in between. */
function readBatches(table: TenantTable, where: Filter, columns: Column[]): Promise<RecordBatch[]> {
  return table.read(async (lance) => {
    const batches: RecordBatch[] = [];
    for await (const batch of lance.query().where(where).select(columns).limit(ROWS_MAX)) batches.push(batch);
    return batches;
  });
}
