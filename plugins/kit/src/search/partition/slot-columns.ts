import { eachNumber, NUMBER_FIELDS, type NumberField, type Row, type RowNumbers } from "../../row.js";
import type { RowColumns } from "../../storage.js";
import {
  type ColumnArrays,
  columnsOfZeros,
  largeColumns,
  USUAL_COLUMNS,
  type UsualField,
} from "./column-arrays.js";
import { FacetColumn } from "./facet-column.js";

const INITIAL_SLOTS = 2;
/** Partitions below this have all columns in one buffer. Slots. */
const LARGE_CAPACITY_MIN = 4_096;
/** The access time, the body size, the live flag, and two references. */
const OTHER_BYTES_PER_SLOT = 8 + 4 + 1 + 2 * 8;

const USUAL_FIELDS = Object.keys(USUAL_COLUMNS) as readonly UsualField[];
const OTHER_FIELDS = NUMBER_FIELDS.filter((field) => !Object.hasOwn(USUAL_COLUMNS, field));

/**
 * The numbers of a partition's rows, one slot per row version. Slots are only appended. Dead ones stay until
 * a rebuild.
 */
export class SlotColumns {
  capacity: number;
  count = 0;
  alive: Uint8Array;
  numbers: { [Field in NumberField]: Float64Array };
  accessed: Float64Array;
  bodyBytes: Uint32Array;
  readonly groups: string[] = [];
  /** "" for a dead slot. */
  readonly facets = new FacetColumn();
  /** Fields that have the array of another one, because they equal it in every slot. */
  readonly #usual = new Set<UsualField>();

  constructor(capacity = INITIAL_SLOTS) {
    const { alive, numbers, accessed, bodyBytes } = this.#createArrays(capacity);
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
    const { alive, numbers, accessed, bodyBytes } = this.#createArrays(this.capacity);
    alive.set(this.alive);
    for (const field of NUMBER_FIELDS) if (!this.#isUsual(field)) numbers[field].set(this.numbers[field]);
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
    this.#setNumbers(slot, row);
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
    for (const field of OTHER_FIELDS) this.numbers[field].set(rows.numbers[field], first);
    for (const field of USUAL_FIELDS) this.#setUsual(field, first, rows.numbers[field]);
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
    return this.capacity * ((NUMBER_FIELDS.length - this.#usual.size) * 8 + OTHER_BYTES_PER_SLOT);
  }

  #begin(): number {
    const slot = this.count++;
    this.reserve(this.count);
    this.alive[slot] = 1;
    return slot;
  }

  #isUsual(field: NumberField): boolean {
    return this.#usual.has(field as UsualField);
  }

  #setNumbers(slot: number, numbers: RowNumbers): void {
    for (const field of OTHER_FIELDS) this.numbers[field][slot] = numbers[field];
    for (const field of USUAL_FIELDS) {
      if (this.numbers[field][slot] === numbers[field]) continue;
      this.#ownArray(field)[slot] = numbers[field];
    }
  }

  #setUsual(field: UsualField, first: number, values: Float64Array): void {
    const usual = this.numbers[field].subarray(first, first + values.length);
    if (values.some((value, index) => value !== usual[index])) this.#ownArray(field).set(values, first);
  }

  /** Returns the array of a field that differs from the usual one. */
  #ownArray(field: UsualField): Float64Array {
    if (this.#usual.delete(field)) this.numbers[field] = this.numbers[field].slice();
    return this.numbers[field];
  }

  #createArrays(capacity: number): ColumnArrays {
    if (capacity < LARGE_CAPACITY_MIN) return columnsOfZeros(capacity);
    for (const field of USUAL_FIELDS) if (this.#equalsUsual(field)) this.#usual.add(field);
    return largeColumns(capacity, this.#usual);
  }

  #equalsUsual(field: UsualField): boolean {
    const other = USUAL_COLUMNS[field];
    for (let slot = 0; slot < this.count; slot++) {
      if (this.numbers[field][slot] !== (other === 0 ? 0 : this.numbers[other][slot])) return false;
    }
    return true;
  }

  #take(from: SlotColumns, index: number): void {
    const slot = this.#begin();
    this.alive[slot] = from.alive[index]!;
    this.#setNumbers(slot, from.numbersAt(index));
    this.accessed[slot] = from.accessed[index]!;
    this.bodyBytes[slot] = from.bodyBytes[index]!;
    this.groups.push(from.groups[index]!);
    this.facets.push(from.facets.at(index));
  }
}
