import { eachNumber, NUMBER_COLUMNS, type RowColumns, type Texts } from "@membus/plugin-kit";
import type { Data, FixedSizeList, RecordBatch } from "apache-arrow";
import { checkSums, rowSums, type SummedColumns, vectorSums, vectorTest } from "./checksums.js";
import { type Column, KEY_HASH_BYTES, type NumberColumn, SUMMED_NUMBERS } from "./schema.js";
import { TextColumn } from "./text-column.js";

/**
 * Converts a batch of one scope for the kit. Uses Arrow's arrays without copying where possible. Texts are
 * copied, because they stay in memory and must not keep the rest of the batch alive. `dimensions` is the
 * length of the vectors that were read, 0 if all count as missing, and "unread" if only their sums were.
 * @throws {MemoryError} `runtime_error` for a damaged row.
 */
export function toRowColumns(batch: RecordBatch, scope: string, dimensions: number | "unread"): RowColumns {
  const count = batch.numRows;
  const numbers = (column: NumberColumn) => dataOf(batch, column).values.subarray(0, count) as Float64Array;
  const groups = new TextColumn(dataOf(batch, "group"));
  const embedders = new TextColumn(dataOf(batch, "embedder"));
  const analyzers = new TextColumn(dataOf(batch, "analyzer"));
  const facets: Texts = new TextColumn(dataOf(batch, "facets"));
  const keyHashes = dataOf(batch, "key_hash").values as Uint8Array;
  const length = dimensions === "unread" ? 0 : dimensions;
  const vectors = length === 0 ? undefined : vectorsOf(batch, length);
  const where = (row: number) => `row ${numbers("row_id")[row]} of ${scope}`;
  checkSums(rowSums(summedColumns(batch, () => scope)), dataOf(batch, "row_sum"), where);
  if (vectors !== undefined) {
    const found = vectorSums(vectors, (row) => embedders.at(row));
    checkSums(found, dataOf(batch, "vector_sum"), (row) => `the vector of ${where(row)}`);
  }
  return {
    count,
    numbers: eachNumber((field) => numbers(NUMBER_COLUMNS[field])),
    keyHashes: keyHashes.subarray(0, count * KEY_HASH_BYTES),
    bodyBytes: numbers("body_bytes"),
    group: (row) => groups.at(row),
    analyzer: (row) => analyzers.at(row),
    embedder: (row) => embedders.at(row),
    facets,
    ...termsOf(dataOf(batch, "terms")),
    vectors: vectors === undefined ? new Float32Array(0) : componentsOf(vectors, length),
    hasVector:
      dimensions === "unread"
        ? vectorTest(dataOf(batch, "vector_sum"), (row) => embedders.at(row))
        : valueTest(vectors),
  };
}

export function summedColumns(batch: RecordBatch, scope: (row: number) => string): SummedColumns {
  return {
    count: batch.numRows,
    keyHash: dataOf(batch, "key_hash"),
    numbers: SUMMED_NUMBERS.map((name) => dataOf(batch, name)),
    texts: (["group", "facets", "terms", "analyzer"] as const).map((name) => dataOf(batch, name)),
    scope,
  };
}

/** Returns a function that reports whether a row has a value. Without the column no row has one. */
function valueTest(data: Data | undefined): (row: number) => boolean {
  if (data === undefined) return () => false;
  return data.nullCount === 0 ? () => true : (row) => data.getValid(row);
}

/** @throws {Error} If the column was replaced since the read began. */
export function vectorsOf(batch: RecordBatch, dimensions: number): Data {
  const data = dataOf(batch, "vector");
  const { listSize } = data.type as FixedSizeList;
  if (listSize === dimensions) return data;
  throw new Error(`column vector has vectors of ${listSize} components, expected ${dimensions}`);
}

export function dataOf(batch: RecordBatch, column: Column): Data {
  return batch.getChild(column)!.data[0]!;
}

function termsOf({ values, valueOffsets, length }: Data): Pick<RowColumns, "termBytes" | "termOffsets"> {
  const first = valueOffsets[0]!;
  const termOffsets = new Uint32Array(length + 1);
  for (let row = 0; row <= length; row++) {
    termOffsets[row] = (valueOffsets[row]! - first) / Uint32Array.BYTES_PER_ELEMENT;
  }
  return { termBytes: (values as Uint8Array).subarray(first, valueOffsets[length]), termOffsets };
}

/** Returns the components, with zeros for rows without a vector, because Arrow leaves these undefined. */
export function componentsOf(data: Data, dimensions: number): Float32Array {
  const components = (data.children[0]!.values as Float32Array).subarray(0, data.length * dimensions);
  if (data.nullCount === 0) return components;
  for (let row = 0; row < data.length; row++) {
    if (!data.getValid(row)) components.fill(0, row * dimensions, (row + 1) * dimensions);
  }
  return components;
}
