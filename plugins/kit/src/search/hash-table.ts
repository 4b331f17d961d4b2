import { randomBytes } from "node:crypto";

/** Odd, and unknown to whoever chooses words and keys: nobody can make them all fall on one place of a table. */
export const SECRET_MULTIPLIER = randomBytes(4).readUInt32LE() | 1;

const EMPTY = 0;
const SIZE_BITS_MIN = 1;
/** Of every table that holds nothing yet. */
const ONE_PLACE = new Uint32Array(1);

/** 32-bit hashes to numbers below 2^32 - 1, in typed arrays: 16 bytes an entry where a Map takes 40. */
export class HashTable {
  #hashes: Uint32Array = ONE_PLACE;
  /** Value + 1. */
  #values: Uint32Array = ONE_PLACE;
  /** What is left of 32 bits when the table's size is taken from their top. */
  #shift = 32;
  #count = 0;

  /** @param expected entries there is room for at once: those of another table must not come into a smaller one in its order */
  constructor(expected = 0) {
    if (expected === 0) return;
    const sizeBits = Math.max(SIZE_BITS_MIN, 32 - Math.clz32(Math.max(0, 2 * expected - 1)));
    this.#hashes = new Uint32Array(2 ** sizeBits);
    this.#values = new Uint32Array(2 ** sizeBits);
    this.#shift = 32 - sizeBits;
  }

  get count(): number {
    return this.#count;
  }

  get(hash: number): number | undefined {
    if (this.#count === 0) return undefined;
    const value = this.#values[this.#position(hash)]!;
    return value === EMPTY ? undefined : value - 1;
  }

  /** For a hash that is not there yet. */
  add(hash: number, value: number): void {
    if (++this.#count * 2 > this.#hashes.length) this.#grow();
    this.#file(hash, value + 1);
  }

  clear(): void {
    this.#values.fill(EMPTY);
    this.#count = 0;
  }

  *entries(): Iterable<readonly [hash: number, value: number]> {
    for (let at = 0; at < this.#values.length; at++) {
      if (this.#values[at] !== EMPTY) yield [this.#hashes[at]!, this.#values[at]! - 1];
    }
  }

  get sizeBytes(): number {
    return this.#hashes === ONE_PLACE ? 0 : this.#hashes.byteLength * 2;
  }

  /** Where the hash is, or the free place where it would be. */
  #position(hash: number): number {
    const mask = this.#hashes.length - 1;
    let at = Math.imul(hash, SECRET_MULTIPLIER) >>> this.#shift;
    while (this.#values[at] !== EMPTY && this.#hashes[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  #file(hash: number, filed: number): void {
    const at = this.#position(hash);
    this.#hashes[at] = hash;
    this.#values[at] = filed;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const values = this.#values;
    this.#hashes = new Uint32Array(2 * hashes.length);
    this.#values = new Uint32Array(2 * hashes.length);
    this.#shift--;
    for (let at = 0; at < values.length; at++) if (values[at] !== EMPTY) this.#file(hashes[at]!, values[at]!);
  }
}
