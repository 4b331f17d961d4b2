import type { RowColumns } from "@membus/plugin-kit";
import type { RecordBatch } from "apache-arrow";
import { and, compare, type Filter, isIn } from "./filters.js";
import { toRowColumns } from "./row-columns.js";
import { type Column, LOADED_COLUMNS } from "./schema.js";
import type { TenantTable } from "./tenant-table.js";

/** LanceDB wants to be told; no table comes near. */
const ROWS_MAX = 100_000_000;

/** All rows of a scope, without bodies. */
export async function readScope(table: TenantTable, scope: string): Promise<RowColumns> {
  const vector: Column[] = table.hasVectors ? ["vector"] : [];
  const batches = await readBatches(table, compare("scope", "=", scope), [...LOADED_COLUMNS, ...vector]);
  return toRowColumns(batches, table.hasVectors ? table.dimensions : 0);
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
