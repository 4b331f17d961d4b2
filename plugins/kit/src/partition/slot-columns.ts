const INITIAL_SLOTS = 16;

/** The numbers of a partition's rows, one slot a row version. Slots are only appended; dead ones wait for a rebuild. */
export class SlotColumns {
  capacity = INITIAL_SLOTS;
  count = 0;
  alive = new Uint8Array(INITIAL_SLOTS);
  rowIds = new Float64Array(INITIAL_SLOTS);
  revisions = new Float64Array(INITIAL_SLOTS);
  seqs = new Float64Array(INITIAL_SLOTS);
  created = new Float64Array(INITIAL_SLOTS);
  updated = new Float64Array(INITIAL_SLOTS);
  accessed = new Float64Array(INITIAL_SLOTS);
  occurredAt = new Float64Array(INITIAL_SLOTS);
  expiresAt = new Float64Array(INITIAL_SLOTS);
  importances = new Float64Array(INITIAL_SLOTS);
  readonly groups: string[] = [];
  /** JSON of each slot's facets. */
  readonly facets: string[] = [];

  /** Room for `slots` in all. Doubles, so that appending one by one stays linear. */
  reserve(slots: number): void {
    if (slots <= this.capacity) return;
    this.capacity = Math.max(slots, this.capacity * 2);
    this.alive = grown(this.alive, this.capacity);
    this.rowIds = grown(this.rowIds, this.capacity);
    this.revisions = grown(this.revisions, this.capacity);
    this.seqs = grown(this.seqs, this.capacity);
    this.created = grown(this.created, this.capacity);
    this.updated = grown(this.updated, this.capacity);
    this.accessed = grown(this.accessed, this.capacity);
    this.occurredAt = grown(this.occurredAt, this.capacity);
    this.expiresAt = grown(this.expiresAt, this.capacity);
    this.importances = grown(this.importances, this.capacity);
  }

  /** A copy of the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): SlotColumns {
    const copy = new SlotColumns();
    copy.reserve(kept.length);
    copy.count = kept.length;
    for (let slot = 0; slot < kept.length; slot++) copy.#take(slot, this, kept[slot]!);
    return copy;
  }

  #take(slot: number, from: SlotColumns, index: number): void {
    this.alive[slot] = from.alive[index]!;
    this.rowIds[slot] = from.rowIds[index]!;
    this.revisions[slot] = from.revisions[index]!;
    this.seqs[slot] = from.seqs[index]!;
    this.created[slot] = from.created[index]!;
    this.updated[slot] = from.updated[index]!;
    this.accessed[slot] = from.accessed[index]!;
    this.occurredAt[slot] = from.occurredAt[index]!;
    this.expiresAt[slot] = from.expiresAt[index]!;
    this.importances[slot] = from.importances[index]!;
    this.groups[slot] = from.groups[index]!;
    this.facets[slot] = from.facets[index]!;
  }
}

type GrowableArray =
  | Uint8Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The same values in an array of `length` elements. */
export function grown<T extends GrowableArray>(array: T, length: number): T {
  const Constructor = array.constructor as new (length: number) => T;
  const larger = new Constructor(length);
  larger.set(array as never);
  return larger;
}
