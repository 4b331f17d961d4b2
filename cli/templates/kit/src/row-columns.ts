import type { Row, RowColumns } from "@membus/plugin-kit";

/** Rows as the kit loads a partition: one array for each field. */
export function columnsOf(rows: readonly Row[], dimensions: number): RowColumns {
  const numbers = (of: (row: Row) => number): Float64Array => Float64Array.from(rows, of);
  const hasVector = (index: number): boolean => rows[index]!.vector?.length === dimensions;
  const keyHashes = new Uint8Array(rows.length * 32);
  const vectors = new Float32Array(rows.length * dimensions);
  for (const [index, row] of rows.entries()) {
    keyHashes.set(Buffer.from(row.keyHash, "hex"), index * 32);
    if (hasVector(index)) vectors.set(row.vector!, index * dimensions);
  }
  return {
    count: rows.length,
    rowIds: numbers(({ rowId }) => rowId),
    keyHashes,
    revisions: numbers(({ revision }) => revision),
    seqs: numbers(({ seq }) => seq),
    created: numbers(({ created }) => created),
    updated: numbers(({ updated }) => updated),
    occurredAt: numbers(({ occurredAt }) => occurredAt),
    expiresAt: numbers(({ expiresAt }) => expiresAt),
    importances: numbers(({ importance }) => importance),
    group: (index) => rows[index]!.group,
    facets: (index) => rows[index]!.facets,
    terms: (index) => rows[index]!.terms!,
    embedder: (index) => rows[index]!.embedder,
    vectors,
    hasVector,
  };
}
