import { type Filter, type FilterLeaf, type Json, matchesOperator } from "@membus/protocol";
import type { AttributeIndex } from "./attribute-index.js";
import type { KeyIndex } from "./key-index.js";
import type { SlotColumns } from "./slot-columns.js";

export interface SelectionSource {
  readonly columns: SlotColumns;
  readonly keys: KeyIndex;
  /** Indexed up to the last slot. */
  attributes(): AttributeIndex;
}

/** One byte a slot, 1 where `filter` holds; undefined when it holds everywhere. Agrees with `matches` of the protocol. */
export function selectSlots(source: SelectionSource, filter: Filter): Uint8Array | undefined {
  if ("all" in filter) return intersection(filter.all.map((child) => selectSlots(source, child)));
  if ("any" in filter)
    return union(
      source,
      filter.any.map((child) => selectSlots(source, child)),
    );
  if ("not" in filter) return complement(source, selectSlots(source, filter.not));
  if (filter.op === "ne") return complement(source, selectSlots(source, { ...filter, op: "eq" }));
  if (filter.op === "nin") return complement(source, selectSlots(source, { ...filter, op: "in" }));
  if (filter.op === "exists" && filter.value === false) {
    return complement(source, selectSlots(source, { ...filter, value: true }));
  }
  return selectLeaf(source, filter);
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
  else if (numbers === undefined) source.attributes().mark(bitmap, leaf.field, leaf.op, leaf.value);
  else markNumbers(bitmap, numbers, leaf);
  return bitmap;
}

/** Criteria name keys by `in` alone. */
function markKeys(keys: KeyIndex, bitmap: Uint8Array, leaf: FilterLeaf): void {
  for (const hash of leaf.value as Json[]) {
    const slot = keys.get(hash as string);
    if (slot !== undefined) bitmap[slot] = 1;
  }
}

function numericColumn(columns: SlotColumns, field: string): Float64Array | undefined {
  switch (field) {
    case "importance":
      return columns.importances;
    case "created":
      return columns.created;
    case "updated":
      return columns.updated;
    case "occurred_at":
      return columns.occurredAt;
    case "expires_at":
      return columns.expiresAt;
    default:
      return undefined;
  }
}

function markNumbers(bitmap: Uint8Array, numbers: Float64Array, leaf: FilterLeaf): void {
  const { field, op, value } = leaf;
  for (let slot = 0; slot < bitmap.length; slot++) {
    const missing = field === "expires_at" && numbers[slot] === 0;
    if (matchesOperator(missing ? undefined : numbers[slot]!, op, value)) bitmap[slot] = 1;
  }
}
