import { type Filter, type FilterLeaf, type Json, matchesOperator } from "@membus/protocol";
import { NUMBER_COLUMNS, type NumberField } from "../../row.js";
import type { KeyIndex } from "./key-index.js";
import type { SlotColumns } from "./slot-columns.js";

const FILTERED: readonly NumberField[] = ["importance", "created", "updated", "occurredAt", "expiresAt"];

/** Filter fields with their own column, by their name in a filter. */
const NUMERIC_FIELDS: ReadonlyMap<string, NumberField> = new Map(
  FILTERED.map((field) => [NUMBER_COLUMNS[field], field]),
);

export interface SelectionSource {
  readonly columns: SlotColumns;
  readonly keys: KeyIndex;
  /** Marks the rows that satisfy one of the filter's `attributeLeaves`, using the index of its field. */
  mark(bitmap: Uint8Array, leaf: FilterLeaf): void;
}

/**
 * Returns a bitmap with one byte per slot, 1 if the filter matches, or undefined if it matches everywhere.
 * `filter` must come from `withoutNegatives`. The result agrees with `matches` of the protocol.
 */
export function selectSlots(source: SelectionSource, filter: Filter): Uint8Array | undefined {
  if ("all" in filter) return intersection(filter.all.map((child) => selectSlots(source, child)));
  if ("any" in filter)
    return union(
      source,
      filter.any.map((child) => selectSlots(source, child)),
    );
  if ("not" in filter) return complement(source, selectSlots(source, filter.not));
  return selectLeaf(source, filter);
}

/** Rewrites leaves that match a missing value as a `not` of a positive leaf. */
export function negativesAsNot(filter: Filter): Filter {
  if ("all" in filter) return { all: filter.all.map(negativesAsNot) };
  if ("any" in filter) return { any: filter.any.map(negativesAsNot) };
  if ("not" in filter) return { not: negativesAsNot(filter.not) };
  if (filter.op === "ne") return { not: { ...filter, op: "eq" } };
  if (filter.op === "nin") return { not: { ...filter, op: "in" } };
  if (filter.op === "exists" && filter.value === false) return { not: { ...filter, value: true } };
  return filter;
}

/** Returns the leaves of `filter` that need an index of their field. */
export function attributeLeaves(filter: Filter): FilterLeaf[] {
  if ("all" in filter) return filter.all.flatMap(attributeLeaves);
  if ("any" in filter) return filter.any.flatMap(attributeLeaves);
  if ("not" in filter) return attributeLeaves(filter.not);
  return filter.field === "key_hash" || NUMERIC_FIELDS.has(filter.field) ? [] : [filter];
}

function intersection(bitmaps: readonly (Uint8Array | undefined)[]): Uint8Array | undefined {
  const [first, ...rest] = bitmaps.filter((bitmap) => bitmap !== undefined);
  for (const other of rest) for (let i = 0; i < first!.length; i++) first![i]! &= other[i]!;
  return first;
}

function union(
  source: SelectionSource,
  bitmaps: readonly (Uint8Array | undefined)[],
): Uint8Array | undefined {
  const result = new Uint8Array(source.columns.count);
  for (const bitmap of bitmaps) {
    if (bitmap === undefined) return undefined;
    for (let i = 0; i < result.length; i++) result[i]! |= bitmap[i]!;
  }
  return result;
}

function complement(source: SelectionSource, bitmap: Uint8Array | undefined): Uint8Array {
  if (bitmap === undefined) return new Uint8Array(source.columns.count);
  for (let i = 0; i < bitmap.length; i++) bitmap[i]! ^= 1;
  return bitmap;
}

function selectLeaf(source: SelectionSource, leaf: FilterLeaf): Uint8Array {
  const bitmap = new Uint8Array(source.columns.count);
  const numbers = numericColumn(source.columns, leaf.field);
  if (leaf.field === "key_hash") markKeys(source.keys, bitmap, leaf);
  else if (numbers === undefined) source.mark(bitmap, leaf);
  else markNumbers(bitmap, numbers, leaf);
  return bitmap;
}

/** Marks rows by key hash. Criteria use only `in`, which needs no scan. */
function markKeys(keys: KeyIndex, bitmap: Uint8Array, { op, value }: FilterLeaf): void {
  if (op === "in") for (const hash of value as Json[]) markKey(keys, bitmap, hash);
  else if (op === "eq") markKey(keys, bitmap, value);
  else
    for (let slot = 0; slot < bitmap.length; slot++) {
      if (matchesOperator(keys.hashOf(slot), op, value)) bitmap[slot] = 1;
    }
}

function markKey(keys: KeyIndex, bitmap: Uint8Array, hash: Json): void {
  const slot = typeof hash === "string" ? keys.get(hash) : undefined;
  if (slot !== undefined && keys.hashOf(slot) === hash) bitmap[slot] = 1;
}

function numericColumn(columns: SlotColumns, field: string): Float64Array | undefined {
  const column = NUMERIC_FIELDS.get(field);
  return column === undefined ? undefined : columns.numbers[column];
}

function markNumbers(bitmap: Uint8Array, numbers: Float64Array, leaf: FilterLeaf): void {
  const { field, op, value } = leaf;
  const canMiss = field === "expires_at";
  if (!canMiss && typeof value === "number" && isOrder(op)) return markRange(bitmap, numbers, op, value);
  for (let slot = 0; slot < bitmap.length; slot++) {
    const missing = canMiss && numbers[slot] === 0;
    if (matchesOperator(missing ? undefined : numbers[slot]!, op, value)) bitmap[slot] = 1;
  }
}

type OrderOperator = "gt" | "gte" | "lt" | "lte";

function isOrder(op: FilterLeaf["op"]): op is OrderOperator {
  return op === "gt" || op === "gte" || op === "lt" || op === "lte";
}

/** Marks a numeric range in a plain loop, because time ranges are common. */
function markRange(bitmap: Uint8Array, numbers: Float64Array, op: OrderOperator, bound: number): void {
  const isAbove = op === "gt" || op === "gte";
  const takesBound = op === "gte" || op === "lte";
  for (let slot = 0; slot < bitmap.length; slot++) {
    const number = numbers[slot]!;
    if (isAbove ? number > bound : number < bound) bitmap[slot] = 1;
    else if (takesBound && number === bound) bitmap[slot] = 1;
  }
}
