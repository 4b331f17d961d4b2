import { eachNumber, NUMBER_FIELDS, type Row, type RowNumbers } from "../../row.js";
import type { RowColumns, Texts } from "../../storage.js";
import { grown } from "./grown.js";

/** JSON of each slot's facets: a text, or a place in a batch from storage, which is decoded when it is asked for. */
class FacetColumn {
  readonly #sources: (string | Texts)[] = [];
  /** For a slot from a batch: its row there. */
  #rows = new Uint32Array(16);

  push(facets: string): void {
    this.#sources.push(facets);
  }

  pushAll(facets: Texts, count: number): void {
    const first = this.#sources.length;
    if (first + count > this.#rows.length) {
      this.#rows = grown(this.#rows, Math.max(first + count, 2 * this.#rows.length));
    }
    for (let row = 0; row < count; row++) {
      this.#rows[first + row] = row;
      this.#sources.push(facets);
    }
  }

  at(slot: number): string {
    const source = this.#sources[slot]!;
    return typeof source === "string" ? source : source.at(this.#rows[slot]!);
  }

  /** Bytes of the text. */
  sizeAt(slot: number): number {
    const source = this.#sources[slot]!;
    return typeof source === "string" ? Buffer.byteLength(source) : source.lengthAt(this.#rows[slot]!);
  }

  clear(slot: number): void {
    this.#sources[slot] = "";
  }
}

const INITIAL_SLOTS = 16;
/** Numbers of 8 bytes, one of 4, a flag and two references a slot. */
const BYTES_PER_SLOT = (NUMBER_FIELDS.length + 1) * 8 + 4 + 1 + 2 * 8;

/** The numbers of a partition's rows, one slot a row version. Slots are only appended; dead ones wait for a rebuild. */
export class SlotColumns {
  capacity = INITIAL_SLOTS;
  count = 0;
  alive = new Uint8Array(INITIAL_SLOTS);
  readonly numbers = eachNumber(() => new Float64Array(INITIAL_SLOTS));
  accessed = new Float64Array(INITIAL_SLOTS);
  bodyBytes = new Uint32Array(INITIAL_SLOTS);
  readonly groups: string[] = [];
  /** "" for a dead slot. */
  readonly facets = new FacetColumn();

  /** Room for `slots` in all. Doubles, so that appending one by one stays linear. */
  reserve(slots: number): void {
    if (slots <= this.capacity) return;
    this.capacity = Math.max(slots, this.capacity * 2);
    this.alive = grown(this.alive, this.capacity);
    for (const field of NUMBER_FIELDS) this.numbers[field] = grown(this.numbers[field], this.capacity);
    this.accessed = grown(this.accessed, this.capacity);
    this.bodyBytes = grown(this.bodyBytes, this.capacity);
  }

  /** A live slot with what the row says. */
  append(row: Row): number {
    const slot = this.#begin();
    for (const field of NUMBER_FIELDS) this.numbers[field][slot] = row[field];
    this.accessed[slot] = row.updated;
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
    for (const field of NUMBER_FIELDS) this.numbers[field].set(rows.numbers[field], first);
    this.accessed.set(rows.numbers.updated, first);
    this.bodyBytes.set(rows.bodyBytes, first);
    for (let row = 0; row < rows.count; row++) this.groups.push(rows.group(row));
    this.facets.pushAll(rows.facets, rows.count);
    return first;
  }

  /** The numbers of a slot, copied. */
  numbersAt(slot: number): RowNumbers {
    return eachNumber((field) => this.numbers[field][slot]!);
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
    for (const field of NUMBER_FIELDS) this.numbers[field][slot] = from.numbers[field][index]!;
    this.accessed[slot] = from.accessed[index]!;
    this.bodyBytes[slot] = from.bodyBytes[index]!;
    this.groups.push(from.groups[index]!);
    this.facets.push(from.facets.at(index));
  }
}
