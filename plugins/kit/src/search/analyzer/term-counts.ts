import { HashTable } from "../hash-table.js";
import { addOccurrence, type CountField, type PackedTerms } from "./packed-terms.js";

/** Counts the terms of one entry after the other, by field and in order of first occurrence. Its memory is used again. */
export class TermCounts {
  #pairs = new Uint32Array(256);
  #end = 0;
  readonly #places = new HashTable();

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
