import { eachNumber, type Row } from "./row.js";
import type { RowColumns, VectorBatch } from "./storage.js";

/**
 * Converts row objects to the columns that `Storage.load` passes on. `dimensions` is the vector length of the
 * embedder.
 */
export function columnsOf(rows: readonly Row[], dimensions: number): RowColumns {
  const keyHashes = new Uint8Array(rows.length * 32);
  const vectors = new Float32Array(rows.length * dimensions);
  const hasVector = (index: number): boolean => rows[index]!.vector?.length === dimensions;
  for (const [index, row] of rows.entries()) {
    keyHashes.set(Buffer.from(row.keyHash, "hex"), index * 32);
    if (hasVector(index)) vectors.set(row.vector!, index * dimensions);
  }
  return {
    count: rows.length,
    numbers: eachNumber((field) => Float64Array.from(rows, (row) => row[field])),
    keyHashes,
    bodyBytes: Float64Array.from(rows, ({ body }) => Buffer.byteLength(body)),
    group: (index) => rows[index]!.group,
    analyzer: (index) => rows[index]!.analyzer,
    embedder: (index) => rows[index]!.embedder,
    facets: {
      at: (index) => rows[index]!.facets,
      lengthAt: (index) => Buffer.byteLength(rows[index]!.facets),
    },
    ...joinedTerms(rows),
    vectors,
    hasVector,
  };
}

/** Converts row objects to the batch that `VectorStorage.readAll` passes on. */
export function vectorBatchOf(rows: readonly Row[], dimensions: number): VectorBatch {
  const { numbers, vectors, hasVector } = columnsOf(rows, dimensions);
  return { rowIds: numbers.rowId, vectors, hasVector };
}

function joinedTerms(rows: readonly Row[]): Pick<RowColumns, "termBytes" | "termOffsets"> {
  const termOffsets = new Uint32Array(rows.length + 1);
  for (const [index, { terms }] of rows.entries()) {
    termOffsets[index + 1] = termOffsets[index]! + (terms?.length ?? 0);
  }
  const terms = new Uint32Array(termOffsets.at(-1)!);
  for (const [index, row] of rows.entries()) if (row.terms) terms.set(row.terms, termOffsets[index]!);
  return { termBytes: new Uint8Array(terms.buffer), termOffsets };
}
