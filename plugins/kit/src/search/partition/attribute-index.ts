import type { RowFacets } from "../../row.js";
import { FieldIndex } from "./field-index.js";

/** Fields that stay indexed, besides those of the request at hand. */
const FIELDS_KEPT = 64;
const NO_FIELDS = new Map<string, FieldIndex>();

/** What the index is made of. */
export interface AttributeSource {
  readonly columns: {
    readonly count: number;
    readonly alive: Uint8Array;
    readonly groups: readonly string[];
  };
  facetsOf(slot: number): RowFacets;
}

/**
 * Brings indexes up to date, all in one pass, and tells whether they are.
 * @param stepEnd behind which row to stop, having begun with the given one
 */
export function bringUpToDate(
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

/** Indexes of the text fields that were asked for: a field that no filter names costs nothing. */
export class AttributeIndex {
  /** Least recently used first. Shared by all that have none: a Map takes some hundred bytes, and most partitions are small. */
  #fields: Map<string, FieldIndex> = NO_FIELDS;

  /** The indexes of fields, as far as they are by now; see `bringUpToDate`. */
  fields(names: readonly string[]): ReadonlyMap<string, FieldIndex> {
    if (names.length === 0) return NO_FIELDS;
    const fields = this.#fields === NO_FIELDS ? new Map() : this.#fields;
    const indexes = new Map(names.map((name) => [name, use(fields, name)]));
    dropUnused(fields, names.length);
    this.#fields = fields;
    return indexes;
  }

  /** Takes dead slots out of all fields, about `stepSize` slots at each step. */
  *keepAlive(columns: { readonly alive: Uint8Array }, stepSize: number): Generator<void> {
    // A copy: whoever asks for a field meanwhile moves it to the end.
    for (const field of [...this.#fields.values()]) yield* field.keepAlive(columns, stepSize);
  }

  /** The index of a field, if there is one. */
  field(name: string): FieldIndex | undefined {
    return this.#fields.get(name);
  }

  get sizeBytes(): number {
    let sizeBytes = 0;
    for (const field of this.#fields.values()) sizeBytes += field.sizeBytes;
    return sizeBytes;
  }
}

function use(fields: Map<string, FieldIndex>, name: string): FieldIndex {
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
