import type { GenerationIds, RowSink, RowSize } from "@membus/plugin-kit";
import type { RecordBatch } from "apache-arrow";
import type { TenantTable } from "../table/tenant-table.js";
import { bodySums, checkSums } from "./checksums.js";
import { and, compare, type Filter, isIn, or } from "./filters.js";
import { dataOf, toRowColumns } from "./row-columns.js";
import { type Column, LOADED_COLUMNS, ROWS_MAX } from "./schema.js";
import { TextColumn } from "./text-column.js";

/**
 * Rows per loaded batch. LanceDB's default is a quarter of this, and each batch costs as much as reading some
 * hundred rows.
 */
const LOADED_BATCH_ROWS = 4_096;

/**
 * Passes all rows of a scope to `into` as they arrive, without bodies. LanceDB reads ahead while they are
 * processed.
 */
export async function readScope(table: TenantTable, scope: string, into: RowSink): Promise<void> {
  const { vectors } = table;
  const { dimensions } = vectors;
  let hasStarted = false;
  try {
    await readRows(table, scope, {
      reserve: (count) => into.reserve(count),
      take(rows) {
        hasStarted = true;
        into.take(rows);
      },
    });
  } catch (error) {
    // The vector columns may have been replaced concurrently, which happens once per embedder.
    await table.gate.shared(async () => undefined);
    if (hasStarted || vectors.dimensions === dimensions) throw error;
    await readScope(table, scope, into);
  }
}

async function readRows(table: TenantTable, scope: string, into: RowSink): Promise<void> {
  const where = compare("scope", "=", scope);
  await table.readInTurn("rows", async (lance) => {
    const dimensions = table.vectors.hasHostDimensions ? table.vectors.dimensions : 0;
    const read = (columns: Column[]) => {
      const query = lance.query().where(where).select(columns).limit(ROWS_MAX);
      // biome-ignore lint/complexity/useLiteralKeys: protected, but the only way to batches of another size one by one
      return readAhead(query["execute"]({ maxBatchLength: LOADED_BATCH_ROWS }));
    };
    const batches = read(dimensions > 0 ? [...LOADED_COLUMNS, "vector"] : [...LOADED_COLUMNS]);
    const first: RecordBatch[] = [];
    let count = 0;
    let next = await batches.next();
    for (; !next.done && count < LOADED_BATCH_ROWS; next = await batches.next()) {
      first.push(next.value);
      count += next.value.numRows;
    }
    // Counting costs as much as reading a small scope.
    const needsVectors = into.reserve(next.done ? count : await lance.countRows(where));
    if (!next.done && dimensions > 0 && !needsVectors) {
      await batches.return(undefined);
      for await (const batch of read([...LOADED_COLUMNS])) into.take(toRowColumns(batch, scope, "unread"));
      return;
    }
    for (const batch of first) into.take(toRowColumns(batch, scope, dimensions));
    for (; !next.done; next = await batches.next()) into.take(toRowColumns(next.value, scope, dimensions));
  });
}

/** Yields the same batches, but requests each while the previous one is processed. */
async function* readAhead(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  const iterator = batches[Symbol.asyncIterator]();
  for (let next = iterator.next(); ; ) {
    const { done, value } = await next;
    if (done === true) return;
    next = iterator.next();
    // If the consumer stops, it does not receive this error.
    next.catch(() => undefined);
    yield value;
  }
}

/** Adds the scopes of outdated rows to `scopes`, up to `limit`. Returns the number of outdated rows. */
export async function readOutdated(
  table: TenantTable,
  { analyzer, embedder }: GenerationIds,
  scopes: Set<string>,
  limit: number,
): Promise<number> {
  const oldTerms = compare("analyzer", "<>", analyzer);
  const where =
    embedder === undefined
      ? and(oldTerms, compare("embedder", "=", ""))
      : or(oldTerms, compare("embedder", "<>", embedder));
  let count = 0;
  await table.read(async (lance) => {
    const column: Column = "scope";
    for await (const batch of lance.query().where(where).select([column]).limit(ROWS_MAX)) {
      count += batch.numRows;
      if (scopes.size >= limit) continue;
      for (const scope of textsOf(batch, column)) if (scopes.size < limit) scopes.add(scope);
    }
  });
  return count;
}

/**
 * Adds the bodies of the rows of a scope to `bodies`.
 * @throws {MemoryError} `runtime_error` for a damaged body.
 */
export async function readBodies(
  table: TenantTable,
  { scope, rowIds }: { readonly scope: string; readonly rowIds: readonly number[] },
  bodies: Map<number, string>,
): Promise<void> {
  const where = and(isIn("row_id", rowIds), compare("scope", "=", scope));
  for (const batch of await readBatches(table, where, ["row_id", "body", "body_sum"])) {
    const [ids, texts] = [dataOf(batch, "row_id"), dataOf(batch, "body")];
    const found = bodySums(texts, ids);
    checkSums(found, dataOf(batch, "body_sum"), (row) => `the body of row ${ids.values[row]} of ${scope}`);
    const column = batch.getChild("body")!;
    for (let row = 0; row < batch.numRows; row++)
      bodies.set(ids.values[row] as number, column.get(row) as string);
  }
}

/** Adds every scope with rows in the table to `scopes`. */
export async function readScopes(table: TenantTable, scopes: Set<string>): Promise<void> {
  const column: Column = "scope";
  await table.read(async (lance) => {
    for await (const batch of lance.query().select([column]).limit(ROWS_MAX)) {
      for (const scope of textsOf(batch, column)) scopes.add(scope);
    }
  });
}

/** Passes the size of each row of the table to `take`. */
export async function readSizes(table: TenantTable, take: (size: RowSize) => void): Promise<void> {
  const columns: Column[] = ["scope", "row_id", "expires_at", "body_bytes", "facets", "group"];
  await table.read(async (lance) => {
    for await (const batch of lance.query().select(columns).limit(ROWS_MAX)) {
      const texts = (column: Column) => new TextColumn(dataOf(batch, column));
      const [scopes, facets, groups] = [texts("scope"), texts("facets"), texts("group")];
      const numbers = (column: Column) => dataOf(batch, column).values as Float64Array;
      const [rowIds, expiries, bodies] = [numbers("row_id"), numbers("expires_at"), numbers("body_bytes")];
      for (let row = 0; row < batch.numRows; row++) {
        const [rowId, expiresAt, bodyBytes] = [rowIds[row]!, expiries[row]!, bodies[row]!];
        const size = { rowId, expiresAt, bodyBytes, facets: facets.at(row), group: groups.at(row) };
        take({ scope: scopes.at(row), ...size });
      }
    }
  });
}

/** Yields the texts of a column. Rows of a scope are adjacent, so their text is decoded only once. */
function* textsOf(batch: RecordBatch, column: Column): Generator<string> {
  const texts = new TextColumn(batch.getChild(column)!.data[0]!);
  for (let row = 0; row < batch.numRows; row++) yield texts.at(row);
}

/** Reads batches of bodies one by one, so that other work gets its turn in between. */
function readBatches(table: TenantTable, where: Filter, columns: Column[]): Promise<RecordBatch[]> {
  return table.readInTurn("bodies", async (lance) => {
    const batches: RecordBatch[] = [];
    for await (const batch of lance.query().where(where).select(columns).limit(ROWS_MAX)) batches.push(batch);
    return batches;
  });
}
