import type { Postings } from "../rank/index.js";
import { allocateNumbers, copyNumbers, EMPTY, growArray, releaseMemory } from "./typed-arrays.js";

/** Bounds of a batch for rows that are added one by one. Batches grow with the number of unindexed terms. */
const BATCH_LENGTH = { min: 2 ** 5, max: 2 ** 18 };

/** Number of slots reserved with the first. */
const SLOTS_MIN = 4;

/** The terms of one row: pairs of hash and counts, from `begin` (inclusive) to `end` (exclusive). */
export interface TermRange {
  readonly values: Uint32Array;
  readonly begin: number;
  readonly end: number;
}

export interface SlotTerms extends TermRange {
  readonly slot: number;
}

/** Terms of many slots. */
interface Batch {
  readonly values: Uint32Array<ArrayBuffer>;
  /** End of the used part of `values`. */
  length: number;
  /** Exclusive end of the slots. */
  end: number;
}

/**
 * Terms of slots that are not indexed yet, in batches. An array per row would take more memory than the
 * terms, and would be freed one by one.
 */
export class UnindexedTerms {
  /** Number of terms of all rows. */
  termCount = 0;
  /** First slot. */
  readonly #from: number;
  /** null for dead slots, and for rows that came without terms. */
  readonly #values: (Uint32Array | null)[] = [];
  #begins: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  #ends: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** Batches that are not released yet, in the order they were created. */
  readonly #batches: Batch[] = [];

  constructor(from: number) {
    this.#from = from;
  }

  get sizeBytes(): number {
    let size = 16 * this.#values.length;
    for (const { values } of this.#batches) size += values.byteLength;
    return size;
  }

  push(terms: Uint32Array | null): void {
    this.#pushRange(null, 0, 0);
    if (terms !== null) this.set(this.#from + this.#values.length - 1, terms);
  }

  /**
   * Copies the terms of a batch of rows, row after row. `offsets` has the start of each row, and the end of
   * the last.
   */
  pushAll(termBytes: Uint8Array, offsets: Uint32Array): void {
    const values = copyNumbers(termBytes);
    for (let row = 0; row + 1 < offsets.length; row++) {
      this.#pushRange(values, offsets[row]!, offsets[row + 1]!);
    }
    this.#batches.push({ values, length: values.length, end: this.#from + this.#values.length });
  }

  /** Sets the terms of a slot that came without them. */
  set(slot: number, terms: Uint32Array): void {
    const at = slot - this.#from;
    const batch = this.#batchWithRoom(terms.length);
    batch.values.set(terms, batch.length);
    this.#values[at] = batch.values;
    this.#begins[at] = batch.length;
    batch.length += terms.length;
    this.#ends[at] = batch.length;
    batch.end = Math.max(batch.end, slot + 1);
    this.#count(terms.length);
  }

  get(slot: number): SlotTerms | undefined {
    const at = slot - this.#from;
    const values = this.#values[at]!;
    return values === null ? undefined : { slot, values, begin: this.#begins[at]!, end: this.#ends[at]! };
  }

  /** Erases the terms of a slot. */
  drop(slot: number): void {
    const at = slot - this.#from;
    this.#values[at]?.fill(0, this.#begins[at], this.#ends[at]);
    this.#end(at);
  }

  /** Drops the terms of the slots of `indexed`. No other slot below `end` has unindexed terms. */
  dropBelow(end: number, indexed: readonly SlotTerms[]): void {
    for (const { slot } of indexed) this.#end(slot - this.#from);
    while (this.#batches.length > 0 && this.#batches[0]!.end <= end)
      releaseMemory(this.#batches.shift()!.values);
  }

  /** Returns the postings of each of these hashes, in one pass over all unindexed terms. */
  find(hashes: readonly number[]): Map<number, Postings> {
    const found = new Map(hashes.map((hash) => [hash >>> 0, new FoundTerm()]));
    const mayBeQueried = new Uint8Array(2 ** 16);
    for (const hash of hashes) mayBeQueried[hash & 0xffff] = 1;
    for (let at = 0; at < this.#values.length; at++) {
      const values = this.#values[at]!;
      if (values === null) continue;
      const end = this.#ends[at]!;
      for (let index = this.#begins[at]!; index < end; index += 2) {
        if (mayBeQueried[values[index]! & 0xffff] === 0) continue;
        found.get(values[index]!)?.add(this.#from + at, values[index + 1]!);
      }
    }
    return found;
  }

  /** Copies the terms of the slots that `kept` lists, in its order, as slots from `from` on. */
  remap(kept: Uint32Array, from: number): UnindexedTerms {
    const copy = new UnindexedTerms(from);
    for (const slot of kept) {
      const terms = this.get(slot);
      copy.push(terms === undefined ? null : terms.values.subarray(terms.begin, terms.end));
    }
    return copy;
  }

  #pushRange(values: Uint32Array | null, begin: number, end: number): void {
    const at = this.#values.length;
    if (at === this.#begins.length) {
      const length = Math.max(SLOTS_MIN, 2 * at);
      this.#begins = growArray(this.#begins, length);
      this.#ends = growArray(this.#ends, length);
    }
    this.#begins[at] = begin;
    this.#ends[at] = end;
    this.#values.push(values);
    if (values !== null) this.#count(end - begin);
  }

  /** Returns the last batch, or a new one if the last has too little space. */
  #batchWithRoom(length: number): Batch {
    const last = this.#batches.at(-1);
    if (last !== undefined && last.length + length <= last.values.length) return last;
    const usual = Math.min(BATCH_LENGTH.max, Math.max(BATCH_LENGTH.min, 2 * this.termCount));
    const batch = { values: allocateNumbers(Math.max(usual, length)), length: 0, end: 0 };
    this.#batches.push(batch);
    return batch;
  }

  #end(at: number): void {
    if (this.#values[at] === null) return;
    this.#count(this.#begins[at]! - this.#ends[at]!);
    this.#values[at] = null;
  }

  /** Updates the term count. A term takes two numbers. */
  #count(numbers: number): void {
    this.termCount += numbers / 2;
  }
}

/** Postings that grow during the scan of the rows. */
class FoundTerm implements Postings {
  slots = new Uint32Array(2);
  counts = new Uint16Array(2);
  size = 0;

  add(slot: number, counts: number): void {
    if (this.size === this.slots.length) {
      this.slots = growArray(this.slots, this.size * 2);
      this.counts = growArray(this.counts, this.size * 2);
    }
    this.slots[this.size] = slot;
    this.counts[this.size++] = counts;
  }
}
