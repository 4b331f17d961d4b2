import type { RowColumns } from "../../storage.js";
import {
  codeLengthOf,
  encodeSlot,
  type VectorCodes,
  type VectorColumn,
  vectorBytesOf,
} from "../rank/index.js";
import { EMPTY, growArray } from "./typed-arrays.js";

interface SlotVectors {
  readonly data: Float32Array;
  readonly present: Uint8Array;
}

/** Codes of a partition's vectors. A few are encoded while a query waits, more in the background. */
class SlotCodes implements VectorCodes {
  codes: Int8Array<ArrayBuffer> = EMPTY.codes;
  scales: Float32Array<ArrayBuffer> = EMPTY.floats;
  errors: Float32Array<ArrayBuffer> = EMPTY.floats;
  /** Slots below this are encoded. */
  upTo = 0;
  readonly #codeLength: number;

  constructor(readonly dimensions: number) {
    this.#codeLength = codeLengthOf(dimensions);
  }

  /** Encodes the slots below `end`. */
  encode(vectors: SlotVectors, end: number): void {
    if (end <= this.upTo) return;
    this.#reserve(vectors.present.length);
    for (let slot = this.upTo; slot < end; slot++) {
      if (vectors.present[slot] === 1) encodeSlot(this, slot, vectors.data, this.dimensions);
    }
    this.upTo = end;
  }

  /** Encodes a slot that got its vector later. */
  update(vectors: SlotVectors, slot: number): void {
    if (slot < this.upTo) encodeSlot(this, slot, vectors.data, this.dimensions);
  }

  /** Erases the codes of a slot. */
  clear(slot: number): void {
    if (slot >= this.upTo) return;
    this.codes.fill(0, slot * this.#codeLength, (slot + 1) * this.#codeLength);
    this.scales[slot] = 0;
    this.errors[slot] = 0;
  }

  /** Drops all codes after slots were renumbered. */
  reset(): void {
    this.codes = EMPTY.codes;
    this.scales = EMPTY.floats;
    this.errors = EMPTY.floats;
    this.upTo = 0;
  }

  get sizeBytes(): number {
    return this.codes.byteLength + this.scales.byteLength * 2;
  }

  #reserve(slots: number): void {
    if (slots <= this.scales.length) return;
    this.codes = growArray(this.codes, slots * this.#codeLength);
    this.scales = growArray(this.scales, slots);
    this.errors = growArray(this.errors, slots);
  }
}

/** For a query that needs no vectors. */
const NO_SIMILARITIES = new Float64Array(0);

/** State of a row's vector: not embedded yet, present, or a text without a vector. */
const PENDING = 0;
const PRESENT = 1;
const NONE = 2;

/**
 * Below this number of slots, comparing each vector in full takes a tenth of a millisecond. Most namespaces
 * are small.
 */
const ENCODED_SLOTS_MIN = 256;
/** Limit of the slots that are encoded while a query waits. */
const ENCODED_AT_ONCE_MAX = 4_096;

/**
 * The vectors of a partition, slot-major, all of one embedder. Above a limit they are released for good, and the
 * storage is searched instead. It is then only known which slots have one.
 */
export class Vectors {
  /** Whether the vectors are in RAM. */
  isResident = true;
  /** Reaches to the last slot with a vector. Rows of a tier in memory get vectors at the first query. */
  data: Float32Array<ArrayBuffer> = EMPTY.floats;
  present: Uint8Array<ArrayBuffer> = EMPTY.bytes;
  states: Uint8Array<ArrayBuffer> = EMPTY.bytes;
  pendingCount = 0;
  readonly #codes: SlotCodes;

  /** @param residentBytesMax limit of the vectors in RAM. */
  constructor(
    readonly embedder: string,
    readonly dimensions: number,
    readonly residentBytesMax = Number.POSITIVE_INFINITY,
  ) {
    this.#codes = new SlotCodes(dimensions);
  }

  /**
   * Returns the ranking data of the first `slots` slots. Codes are left out if more are missing than a query
   * can wait for.
   * @param similarities of the query, if the vectors are not in RAM.
   */
  column(slots: number, similarities: Float64Array = NO_SIMILARITIES): VectorColumn {
    const { data, dimensions, present } = this;
    if (!this.isResident) return { data, dimensions, present, similarities };
    if (slots < ENCODED_SLOTS_MIN || slots - this.#codes.upTo > ENCODED_AT_ONCE_MAX) {
      return { data, dimensions, present };
    }
    this.#codes.encode(this, slots);
    return { data, dimensions, present, codes: this.#codes };
  }

  /** Encodes up to `max` more of the first `slots` slots and returns whether all are encoded. */
  encodeSome(slots: number, max: number): boolean {
    if (slots < ENCODED_SLOTS_MIN || !this.isResident) return true;
    this.#codes.encode(this, Math.min(slots, this.#codes.upTo + max));
    return this.#codes.upTo >= slots;
  }

  /** Reserves space for the vectors of `slots` slots in total. */
  reserve(slots: number): void {
    this.#reserveStates(slots);
    if (!this.#fits(slots)) this.#release();
    else if (slots * this.dimensions > this.data.length)
      this.data = growArray(this.data, slots * this.dimensions);
  }

  /** Adds a row's vector. A vector of another embedder, or with another length, counts as pending. */
  add(slot: number, embedder: string, vector: Float32Array | null): void {
    this.#reserveStates(slot + 1);
    const isOurs = embedder === this.embedder && (vector === null || vector.length === this.dimensions);
    if (isOurs) this.#setVector(slot, vector);
    else this.pendingCount++;
  }

  /** Adds a batch of rows from storage, which have the slots from `first` on. */
  addAll(first: number, rows: RowColumns): void {
    this.#reserveStates(first + rows.count);
    for (let row = 0; row < rows.count; row++) {
      if (rows.embedder(row) !== this.embedder) this.pendingCount++;
      else if (!rows.hasVector(row)) this.states[first + row] = NONE;
      else {
        this.states[first + row] = PRESENT;
        this.present[first + row] = 1;
      }
    }
    if (this.#reserveData(first * this.dimensions + rows.vectors.length))
      this.data.set(rows.vectors, first * this.dimensions);
  }

  /** Stores the embedder's result for a pending slot. */
  fill(slot: number, vector: Float32Array | null): void {
    if (this.states[slot] !== PENDING) return;
    this.pendingCount--;
    this.#setVector(slot, vector);
  }

  /** Erases the vector of a slot that died, and its pending state. */
  drop(slot: number): void {
    if (this.states[slot] === PENDING) this.pendingCount--;
    this.states[slot] = NONE;
    this.present[slot] = 0;
    if (!this.isResident) return;
    this.data.fill(0, slot * this.dimensions, (slot + 1) * this.dimensions);
    this.#codes.clear(slot);
  }

  isPending(slot: number): boolean {
    return this.states[slot] === PENDING;
  }

  /** Keeps the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): void {
    const { data, present, states, dimensions } = this;
    this.#codes.reset();
    this.data = new Float32Array(data.length === 0 ? 0 : kept.length * dimensions);
    this.present = new Uint8Array(kept.length);
    this.states = new Uint8Array(kept.length);
    for (let slot = 0; slot < kept.length; slot++) {
      const from = kept[slot]!;
      if (present[from] === 1 && this.isResident) {
        this.data.set(data.subarray(from * dimensions, (from + 1) * dimensions), slot * dimensions);
      }
      this.present[slot] = present[from]!;
      this.states[slot] = states[from]!;
    }
  }

  /** Whether a slot has a vector that is not in RAM. */
  isReleased(slot: number): boolean {
    return !this.isResident && this.present[slot] === 1;
  }

  /** Returns a copy of a vector in RAM. */
  vectorOf(slot: number): Float32Array | undefined {
    const at = slot * this.dimensions;
    if (!this.isResident || this.present[slot] !== 1) return undefined;
    return this.data.slice(at, at + this.dimensions);
  }

  get sizeBytes(): number {
    return this.data.byteLength + this.states.byteLength * 2 + this.#codes.sizeBytes;
  }

  #setVector(slot: number, vector: Float32Array | null): void {
    this.states[slot] = vector === null ? NONE : PRESENT;
    if (vector === null) return;
    this.present[slot] = 1;
    if (!this.#reserveData((slot + 1) * this.dimensions)) return;
    this.data.set(vector, slot * this.dimensions);
    this.#codes.update(this, slot);
  }

  /** Returns whether the vectors are in RAM. */
  #reserveData(length: number): boolean {
    if (!this.#fits(length / this.dimensions)) this.#release();
    else if (length > this.data.length)
      this.data = growArray(this.data, Math.max(length, 2 * this.data.length));
    return this.isResident;
  }

  #fits(slots: number): boolean {
    return this.isResident && slots * vectorBytesOf(this.dimensions) <= this.residentBytesMax;
  }

  #release(): void {
    this.isResident = false;
    this.data = EMPTY.floats;
    this.#codes.reset();
  }

  #reserveStates(slots: number): void {
    if (slots <= this.states.length) return;
    const capacity = Math.max(slots, this.states.length * 2);
    this.present = growArray(this.present, capacity);
    this.states = growArray(this.states, capacity);
  }
}

/** Returns the limit of the entries of a partition if each may have a vector. */
export function partitionRowsMaxOf(
  {
    partitionRowsMax,
    partitionVectorBytesMax,
  }: { readonly partitionRowsMax: number; readonly partitionVectorBytesMax: number },
  embedder: { readonly dimensions: number } | undefined,
): number {
  if (embedder === undefined) return partitionRowsMax;
  const vectorsMax = Math.floor(partitionVectorBytesMax / vectorBytesOf(embedder.dimensions));
  return Math.min(partitionRowsMax, Math.max(1, vectorsMax));
}
