import { HashTable } from "../hash-table.js";

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over UTF-16 code units, unsigned 32 bits. Stored with the rows: it never changes. */
export function termHash(term: string): number {
  let hash = OFFSET_BASIS;
  for (let index = 0; index < term.length; index++) {
    hash = Math.imul(hash ^ term.charCodeAt(index), PRIME);
  }
  return hash >>> 0;
}

/**
 * Packed terms of a row: pairs of a term's hash and its counts, in order of first occurrence. Counts are of 16 bits, as
 * `COUNT_FIELDS` says; what is beyond them is lost.
 */
export type PackedTerms = Uint32Array;

/** Where in the counts of a term a field's count is, and how far it goes. */
export interface CountField {
  readonly shift: number;
  /** All bits of the field. */
  readonly max: number;
}

/** Sixteen bits in all, as partitions keep counts by the million: words come often in a text, seldom in the others. */
export const COUNT_FIELDS = Object.freeze({
  text: Object.freeze({ shift: 0, max: 255 }),
  context: Object.freeze({ shift: 8, max: 31 }),
  time: Object.freeze({ shift: 13, max: 7 }),
});

/** How often a term occurs in one field, read from its counts. */
export function fieldCount(counts: number, { shift, max }: CountField): number {
  return (counts >>> shift) & max;
}

/** The counts with one more occurrence in a field; a full count stays. */
export function addOccurrence(counts: number, field: CountField): number {
  return fieldCount(counts, field) < field.max ? counts + (1 << field.shift) : counts;
}

/** Counts the terms of one entry after the other, by field and in order of first occurrence. Its memory is used again. */
export class TermCounts {
  #pairs = new Uint32Array(256);
  #end = 0;
  readonly #places = new HashTable(32);

  clear(): void {
    this.#end = 0;
    this.#places.clear();
  }

  /** One more occurrence in a field. */
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

  /** Where its counts are: 0 for a term that is new. */
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
