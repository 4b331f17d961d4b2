import { HashTable } from "../hash-table.js";

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over UTF-16 code units, unsigned 32 bits. Stored with the rows, so it must never change. */
export function termHash(term: string): number {
  let hash = OFFSET_BASIS;
  for (let index = 0; index < term.length; index++) {
    hash = Math.imul(hash ^ term.charCodeAt(index), PRIME);
  }
  return hash >>> 0;
}

/**
 * Packed terms of a row: pairs of a term's hash and its counts, in order of first occurrence. The counts take
 * 16 bits, laid out as in `COUNT_FIELDS`. Higher counts are capped.
 */
export type PackedTerms = Uint32Array;

/** Bit position and maximum of a field's count within the counts of a term. */
export interface CountField {
  readonly shift: number;
  /** Bit mask of the field. */
  readonly max: number;
}

/**
 * Counts take sixteen bits in total, because partitions keep millions of them. Words repeat often in a text
 * and rarely in the other fields.
 */
export const COUNT_FIELDS = Object.freeze({
  text: Object.freeze({ shift: 0, max: 255 }),
  context: Object.freeze({ shift: 8, max: 31 }),
  time: Object.freeze({ shift: 13, max: 7 }),
});

/** Returns how often a term occurs in one field. */
export function fieldCount(counts: number, { shift, max }: CountField): number {
  return (counts >>> shift) & max;
}

/** Returns the counts with one more occurrence in a field. A count at its maximum stays. */
export function addOccurrence(counts: number, field: CountField): number {
  return fieldCount(counts, field) < field.max ? counts + (1 << field.shift) : counts;
}

/**
 * Counts the terms of an entry by field, in order of first occurrence. The memory is reused for the next
 * entry.
 */
export class TermCounts {
  #pairs = new Uint32Array(256);
  #end = 0;
  readonly #places = new HashTable(32);

  clear(): void {
    this.#end = 0;
    this.#places.clear();
  }

  /** Adds one occurrence in a field. */
  add(hash: number, field: CountField): void {
    const place = this.#placeOf(hash);
    this.#pairs[place] = addOccurrence(this.#pairs[place]!, field);
  }

  /** Adds counts of another field. */
  addPacked(terms: PackedTerms): void {
    for (let at = 0; at < terms.length; at += 2) this.#pairs[this.#placeOf(terms[at]!)]! += terms[at + 1]!;
  }

  pack(): PackedTerms {
    return this.#pairs.slice(0, this.#end);
  }

  /** Returns the position of a term's counts. The counts of a new term are 0. */
  #placeOf(hash: number): number {
    const known = this.#places.get(hash);
    if (known !== undefined) return known;
    if (this.#end === this.#pairs.length) this.#grow();
    const place = this.#end + 1;
    this.#pairs[this.#end] = hash;
    this.#pairs[place] = 0;
    this.#end += 2;
    this.#places.add(hash, place);
    return place;
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#pairs.length);
    larger.set(this.#pairs);
    this.#pairs = larger;
  }
}
