import { eachNumber, NUMBER_FIELDS, type NumberField, type Row, type RowNumbers } from "../../row.js";
import type { RowColumns, Texts } from "../../storage.js";
import { EMPTY, growArray } from "./grow-array.js";

/**
 * JSON of each slot's facets: a string, or a reference into a batch from storage that is decoded on access.
 */
class FacetColumn {
  readonly #sources: (string | Texts)[] = [];
  /** Row within the batch, for a slot from a batch. */
  #rows: Uint32Array<ArrayBuffer> = EMPTY.numbers;

  push(facets: string): void {
    this.#sources.push(facets);
  }

  pushAll(facets: Texts, count: number): void {
    const first = this.#sources.length;
    if (first + count > this.#rows.length) {
      this.#rows = growArray(this.#rows, Math.max(first + count, 2 * this.#rows.length));
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

  /** Returns the byte length of the text. */
  sizeAt(slot: number): number {
    const source = this.#sources[slot]!;
    return typeof source === "string" ? Buffer.byteLength(source) : source.lengthAt(this.#rows[slot]!);
  }

  clear(slot: number): void {
    this.#sources[slot] = "";
  }
}

const INITIAL_SLOTS = 2;
/** 8 bytes for each field and the access time, 4 for the body size, and 1 for the live flag. */
const COLUMN_BYTES = (NUMBER_FIELDS.length + 1) * 8 + 4 + 1;
/** The columns and two references. */
const BYTES_PER_SLOT = COLUMN_BYTES + 2 * 8;

/**
 * Creates all columns of `capacity` slots in one buffer. Most partitions have few rows, and separate buffers
 * would take more memory than the rows.
 */
function columnsOfZeros(capacity: number) {
  const buffer = new ArrayBuffer(capacity * COLUMN_BYTES);
  let at = 0;
  const nextNumbers = () => {
    const column = new Float64Array(buffer, at, capacity);
    at += column.byteLength;
    return column;
  };
  const numbers = eachNumber(nextNumbers);
  const accessed = nextNumbers();
  const bodyBytes = new Uint32Array(buffer, at, capacity);
  return { numbers, accessed, bodyBytes, alive: new Uint8Array(buffer, at + bodyBytes.byteLength, capacity) };
}

/**
 * The numbers of a partition's rows, one slot per row version. Slots are only appended. Dead ones stay until
 * a rebuild.
 */
export class SlotColumns {
  capacity: number;
  count = 0;
  alive: Uint8Array;
  numbers: { readonly [Field in NumberField]: Float64Array };
  accessed: Float64Array;
  bodyBytes: Uint32Array;
  readonly groups: string[] = [];
  /** "" for a dead slot. */
  readonly facets = new FacetColumn();

  constructor(capacity = INITIAL_SLOTS) {
    const { alive, numbers, accessed, bodyBytes } = columnsOfZeros(capacity);
    this.capacity = capacity;
    this.alive = alive;
    this.numbers = numbers;
    this.accessed = accessed;
    this.bodyBytes = bodyBytes;
  }

  /**
   * Reserves space for `slots` slots in total. The capacity doubles, so that appending one by one stays
   * linear.
   */
  reserve(slots: number): void {
    if (slots <= this.capacity) return;
    this.capacity = Math.max(slots, this.capacity * 2);
    const { alive, numbers, accessed, bodyBytes } = columnsOfZeros(this.capacity);
    alive.set(this.alive);
    for (const field of NUMBER_FIELDS) numbers[field].set(this.numbers[field]);
    accessed.set(this.accessed);
    bodyBytes.set(this.bodyBytes);
    this.alive = alive;
    this.numbers = numbers;
    this.accessed = accessed;
    this.bodyBytes = bodyBytes;
  }

  /** Appends a live slot for a row and returns it. */
  append(row: Row): number {
    const slot = this.#begin();
    for (const field of NUMBER_FIELDS) this.numbers[field][slot] = row[field];
    this.accessed[slot] = row.updated;
    this.bodyBytes[slot] = Buffer.byteLength(row.body);
    this.groups.push(row.group);
    this.facets.push(row.facets);
    return slot;
  }

  /** Appends a batch from storage. Returns the slot of its first row. */
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

  /** Returns a copy of the numbers of a slot. */
  numbersAt(slot: number): RowNumbers {
    return eachNumber((field) => this.numbers[field][slot]!);
  }

  /** Returns the live slots, `liveCount` of them, in order. */
  live(liveCount: number): Uint32Array {
    const live = new Uint32Array(liveCount);
    let size = 0;
    for (let slot = 0; slot < this.count; slot++) if (this.alive[slot] === 1) live[size++] = slot;
    return live;
  }

  /** Copies the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): SlotColumns {
    const copy = new SlotColumns(Math.max(INITIAL_SLOTS, kept.length));
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
