import { NUMBER_COLUMNS } from "@membus/plugin-kit";
import type { DataType, Field, FixedSizeList, Float32, Schema } from "apache-arrow";
import { arrow } from "../lancedb.js";

/** Bytes of a key hash (SHA-256). */
export const KEY_HASH_BYTES = 32;

/**
 * Number columns included in the row checksum. Row ids and revisions are integers up to 2^53, which Float64
 * represents exactly and loads without conversion.
 */
export const SUMMED_NUMBERS = [...Object.values(NUMBER_COLUMNS), "body_bytes"] as const;

/**
 * Checksum columns, because LanceDB has no checksums. Vectors and bodies have their own, because bodies are
 * read separately and vectors are replaced separately.
 */
const SUMS = ["row_sum", "vector_sum", "body_sum"] as const;
const NUMBERS = [...SUMMED_NUMBERS, ...SUMS] as const;

export type NumberColumn = (typeof NUMBERS)[number];

/** Limit that LanceDB requires of a query. No table is that large. */
export const ROWS_MAX = 100_000_000;

/**
 * Columns that a load reads in addition to the vector: all except the scope, which is the filter, and the
 * body.
 */
export const LOADED_COLUMNS = [
  "key_hash",
  ...SUMMED_NUMBERS,
  "row_sum",
  "vector_sum",
  "group",
  "facets",
  "terms",
  "analyzer",
  "embedder",
] as const;

export const COLUMNS = ["scope", ...LOADED_COLUMNS, "body", "body_sum", "vector"] as const;

export type Column = (typeof COLUMNS)[number];

/**
 * Returns the schema of a tenant's table with vectors of `dimensions`, in the column order of a new table.
 */
export function tableSchema(dimensions: number): Schema {
  const { Binary, Field, FixedSizeBinary, Float64, Schema, Utf8 } = arrow();
  return new Schema([
    required("scope", new Utf8()),
    required("key_hash", new FixedSizeBinary(KEY_HASH_BYTES)),
    ...NUMBERS.map((name) => required(name, new Float64())),
    required("group", new Utf8()),
    required("facets", new Utf8()),
    required("body", new Utf8()),
    new Field("terms", new Binary(), true),
    required("analyzer", new Utf8()),
    required("embedder", new Utf8()),
    new Field("vector", vectorType(dimensions), true),
  ]);
}

export function vectorType(dimensions: number): FixedSizeList<Float32> {
  const { Field, FixedSizeList, Float32 } = arrow();
  return new FixedSizeList(dimensions, new Field("item", new Float32(), true));
}

/** Returns the dimensions of a table's vectors, 0 for a table without the column. */
export function dimensionsOf(schema: Schema): number {
  const column: Column = "vector";
  const type = schema.fields.find(({ name }) => name === column)?.type;
  return (type as FixedSizeList | undefined)?.listSize ?? 0;
}

function required(name: Column, type: DataType): Field {
  return new (arrow().Field)(name, type, false);
}
