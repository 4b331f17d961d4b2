import type { Postings } from "../rank/index.js";
import { grown } from "./grown.js";
import { numbersOf, release } from "./own-pages.js";

/** The terms of one row: pairs of hash and counts, from `begin` to before `end`. */
export interface TermRange {
  readonly values: Uint32Array;
  readonly begin: number;
  readonly end: number;
}

export interface SlotTerms extends TermRange {
  readonly slot: number;
}

/** Terms of many slots in a row. */
interface Batch {
  readonly values: Uint32Array<ArrayBuffer>;
  /** The slot behind them. */
  readonly end: number;
}

/** Terms of slots that are not indexed yet; of rows from storage only where they stand, as there are many. */
export class WaitingTerms {
  /** Of all rows together. */
  termCount = 0;
  #rowCount = 0;
  /** The first slot. */
  readonly #from: number;
  /** null for dead slots, and for rows that came without. */
  readonly #values: (Uint32Array | null)[] = [];
  #begins = new Uint32Array(16);
  #ends = new Uint32Array(16);
  /** Those from storage that have not been released, in ascending order. */
  readonly #batches: Batch[] = [];

  constructor(from: number) {
    this.#from = from;
  }

  get sizeBytes(): number {
    return 8 * this.termCount + 120 * this.#rowCount;
  }

  push(terms: Uint32Array | null): void {
    this.#pushRange(terms, 0, terms?.length ?? 0);
  }

  /** Copies terms of the rows of a batch, row after row; `offsets` tell where each begins, and where the last ends. */
  pushAll(termBytes: Uint8Array, offsets: Uint32Array): void {
    const values = numbersOf(termBytes);
    for (let row = 0; row + 1 < offsets.length; row++) {
      this.#pushRange(values, offsets[row]!, offsets[row + 1]!);
    }
    this.#batches.push({ values, end: this.#from + this.#values.length });
  }

  /** For a slot that came without. */
  set(slot: number, terms: Uint32Array): void {
    const at = slot - this.#from;
    this.#values[at] = terms;
    this.#begins[at] = 0;
    this.#ends[at] = terms.length;
    this.#count(1, terms.length);
  }

  get(slot: number): SlotTerms | undefined {
    const at = slot - this.#from;
    const values = this.#values[at]!;
    return values === null ? undefined : { slot, values, begin: this.#begins[at]!, end: this.#ends[at]! };
  }

  /** A slot whose terms wait no longer. */
  drop(slot: number): void {
    const at = slot - this.#from;
    if (this.#values[at] === null) return;
    this.#count(-1, this.#ends[at]! - this.#begins[at]!);
    this.#values[at] = null;
  }

  /** Drops the slots of `dropped`; of those below `end`, no others wait. */
  dropBelow(end: number, dropped: readonly SlotTerms[]): void {
    for (const { slot } of dropped) this.drop(slot);
    while (this.#batches.length > 0 && this.#batches[0]!.end <= end) release(this.#batches.shift()!.values);
  }

  /** Where each of the terms with these hashes occurs, in one pass over all that wait. */
  find(hashes: readonly number[]): Map<number, Postings> {
    const found = new Map(hashes.map((hash) => [hash >>> 0, new FoundTerm()]));
    const mayBeSought = new Uint8Array(2 ** 16);
    for (const hash of hashes) mayBeSought[hash & 0xffff] = 1;
    for (let at = 0; at < this.#values.length; at++) {
      const values = this.#values[at]!;
      if (values === null) continue;
      const end = this.#ends[at]!;
      for (let index = this.#begins[at]!; index < end; index += 2) {
        if (mayBeSought[values[index]! & 0xffff] === 0) continue;
        found.get(values[index]!)?.add(this.#from + at, values[index + 1]!);
      }
    }
    return found;
  }

  /** Those of the slots that `kept` lists, in its order, as slots from `from` on. */
  remap(kept: Uint32Array, from: number): WaitingTerms {
    const copy = new WaitingTerms(from);
    for (const slot of kept) {
      const terms = this.get(slot);
      copy.push(terms === undefined ? null : terms.values.slice(terms.begin, terms.end));
    }
    return copy;
  }

  #pushRange(values: Uint32Array | null, begin: number, end: number): void {
    const at = this.#values.length;
    if (at === this.#begins.length) {
      this.#begins = grown(this.#begins, 2 * at);
      this.#ends = grown(this.#ends, 2 * at);
    }
    this.#begins[at] = begin;
    this.#ends[at] = end;
    this.#values.push(values);
    if (values !== null) this.#count(1, end - begin);
  }

  /** Rows come (1) or go (-1), with the length of their terms. */
  #count(sign: 1 | -1, length: number): void {
    this.#rowCount += sign;
    this.termCount += (sign * length) / 2;
  }
}

/** Grows while the rows are looked through. */
class FoundTerm implements Postings {
  slots = new Uint32Array(2);
  counts = new Uint16Array(2);
  size = 0;

  add(slot: number, counts: number): void {
    if (this.size === this.slots.length) {
      this.slots = grown(this.slots, this.size * 2);
      this.counts = grown(this.counts, this.size * 2);
    }
    this.slots[this.size] = slot;
    this.counts[this.size++] = counts;
  }
}
