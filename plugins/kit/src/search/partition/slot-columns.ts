import type { Row } from "../../row.js";
import type { RowColumns } from "../../storage.js";
import { FacetColumn } from "./facet-column.js";
import { grown } from "./grown.js";

const INITIAL_SLOTS = 16;
/** Nine numbers of 8 bytes, one of 4, a flag and two references a slot. */
const BYTES_PER_SLOT = 9 * 8 + 4 + 1 + 2 * 8;

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
  bodyBytes = new Uint32Array(INITIAL_SLOTS);
  readonly groups: string[] = [];
  /** "" for a dead slot. */
  readonly facets = new FacetColumn();

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
    this.bodyBytes = grown(this.bodyBytes, this.capacity);
  }

  /** A live slot with what the row says. */
  append(row: Row): number {
    const slot = this.#begin();
    this.rowIds[slot] = row.rowId;
    this.revisions[slot] = row.revision;
    this.seqs[slot] = row.seq;
    this.created[slot] = row.created;
    this.updated[slot] = row.updated;
    this.accessed[slot] = row.updated;
    this.occurredAt[slot] = row.occurredAt;
    this.expiresAt[slot] = row.expiresAt;
    this.importances[slot] = row.importance;
    this.bodyBytes[slot] = Buffer.byteLength(row.body);
    this.groups.push(row.group);
    this.facets.push(row.facets);
    return slot;
  }

  /** The same for a batch from storage. Returns the slot of its first row. */
  appendAll(rows: RowColumns): number {
    const first = this.count;
    this.count += rows.count;
    this.reserve(this.count);
    this.alive.fill(1, first, this.count);
    this.rowIds.set(rows.rowIds, first);
    this.revisions.set(rows.revisions, first);
    this.seqs.set(rows.seqs, first);
    this.created.set(rows.created, first);
    this.updated.set(rows.updated, first);
    this.accessed.set(rows.updated, first);
    this.occurredAt.set(rows.occurredAt, first);
    this.expiresAt.set(rows.expiresAt, first);
    this.importances.set(rows.importances, first);
    this.bodyBytes.set(rows.bodyBytes, first);
    for (let row = 0; row < rows.count; row++) this.groups.push(rows.group(row));
    this.facets.pushAll(rows.facets, rows.count);
    return first;
  }

  /** The live slots, of which there are `liveCount`, in order. */
  live(liveCount: number): Uint32Array {
    const live = new Uint32Array(liveCount);
    let size = 0;
    for (let slot = 0; slot < this.count; slot++) if (this.alive[slot] === 1) live[size++] = slot;
    return live;
  }

  /** A copy of the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): SlotColumns {
    const copy = new SlotColumns();
    copy.reserve(kept.length);
    for (const slot of kept) copy.#take(this, slot);
    return copy;
  }

  get sizeBytes(): number {
    return this.capacity * BYTES_PER_SLOT;
  }

  #begin(): number {
    const slot = this.count++;
    this.reserve(this.count);
    this.alive[slot] = 1;
    return slot;
  }

  #take(from: SlotColumns, index: number): void {
    const slot = this.#begin();
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
    this.bodyBytes[slot] = from.bodyBytes[index]!;
    this.groups.push(from.groups[index]!);
    this.facets.push(from.facets.at(index));
  }
}
