import type { RowFacets } from "../../row.js";
import { FieldIndex } from "./field-index.js";

/** Limit of the indexed fields, in addition to the fields of the current request. */
const FIELDS_KEPT = 64;
const NO_FIELDS = new Map<string, FieldIndex>();

/** Rows that the index is built from. */
export interface AttributeSource {
  readonly columns: {
    readonly count: number;
    readonly alive: Uint8Array;
    readonly groups: readonly string[];
  };
  facetsOf(slot: number): RowFacets;
}

/**
 * Updates indexes in one pass and returns whether they are complete.
 * @param stepEnd returns the exclusive end slot of a step that starts at the given slot
 */
export function updateIndexes(
  source: AttributeSource,
  indexes: readonly FieldIndex[],
  stepEnd: (from: number) => number = () => source.columns.count,
): boolean {
  const { columns } = source;
  const from = Math.min(columns.count, ...indexes.map(({ upTo }) => upTo));
  const end = Math.min(columns.count, stepEnd(from));
  for (let slot = from; slot < end; slot++) {
    if (columns.alive[slot] === 0) continue;
    const facets = source.facetsOf(slot);
    for (const index of indexes) if (slot >= index.upTo) index.add(slot, facets, columns.groups[slot]!);
  }
  for (const index of indexes) index.upTo = Math.max(index.upTo, end);
  return end === columns.count;
}

/** Indexes of the text fields that filters have used. Other fields have no index. */
export class AttributeIndex {
  /**
   * Least recently used first. Partitions without indexes share one Map, because it takes some hundred bytes
   * and most partitions are small.
   */
  #fields: Map<string, FieldIndex> = NO_FIELDS;

  /** Returns the indexes of fields, which may be incomplete. See `updateIndexes`. */
  fields(names: readonly string[]): ReadonlyMap<string, FieldIndex> {
    if (names.length === 0) return NO_FIELDS;
    const fields = this.#fields === NO_FIELDS ? new Map() : this.#fields;
    const indexes = new Map(names.map((name) => [name, touchField(fields, name)]));
    dropUnused(fields, names.length);
    this.#fields = fields;
    return indexes;
  }

  /** Removes dead slots from all fields, about `stepSize` slots per step. */
  *removeDead(columns: { readonly alive: Uint8Array }, stepSize: number): Generator<void> {
    // A copy, because a concurrent request moves the field that it uses to the end.
    for (const field of [...this.#fields.values()]) yield* field.removeDead(columns, stepSize);
  }

  /** Returns the index of a field, if it exists. */
  field(name: string): FieldIndex | undefined {
    return this.#fields.get(name);
  }

  get sizeBytes(): number {
    let sizeBytes = 0;
    for (const field of this.#fields.values()) sizeBytes += field.sizeBytes;
    return sizeBytes;
  }
}

function touchField(fields: Map<string, FieldIndex>, name: string): FieldIndex {
  const index = fields.get(name) ?? new FieldIndex(name);
  fields.delete(name);
  fields.set(name, index);
  return index;
}

function dropUnused(fields: Map<string, FieldIndex>, usedCount: number): void {
  for (const name of fields.keys()) {
    if (fields.size <= Math.max(FIELDS_KEPT, usedCount)) return;
    fields.delete(name);
  }
}
