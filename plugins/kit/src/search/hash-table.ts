import { randomBytes } from "node:crypto";

/**
 * Random odd multiplier. Callers who choose words and keys cannot predict it, so they cannot force hash
 * collisions.
 */
export const SECRET_MULTIPLIER = randomBytes(4).readUInt32LE() | 1;

const EMPTY = 0;
const SIZE_BITS_MIN = 1;
/** Shared array of all empty tables. */
const EMPTY_TABLE = new Uint32Array(1);

/**
 * Maps 32-bit hashes to numbers below 2^32 - 1 in typed arrays. It takes 16 bytes per entry, a Map takes 40.
 */
export class HashTable {
  #hashes: Uint32Array = EMPTY_TABLE;
  /** Value + 1. */
  #values: Uint32Array = EMPTY_TABLE;
  /** 32 minus the number of hash bits that select a position. */
  #shift = 32;
  #count = 0;

  /**
   * @param expected number of entries to reserve space for. Reserve it when entries are copied from another
   * table: in a smaller table, that table's order would cause long collision chains
   */
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

  /** Adds a hash that is not in the table yet. */
  add(hash: number, value: number): void {
    if (++this.#count * 2 > this.#hashes.length) this.#grow();
    this.#insert(hash, value + 1);
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
    return this.#hashes === EMPTY_TABLE ? 0 : this.#hashes.byteLength * 2;
  }

  /** Returns the position of the hash, or the free position where it would be inserted. */
  #position(hash: number): number {
    const mask = this.#hashes.length - 1;
    let at = Math.imul(hash, SECRET_MULTIPLIER) >>> this.#shift;
    while (this.#values[at] !== EMPTY && this.#hashes[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  #insert(hash: number, filed: number): void {
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
    for (let at = 0; at < values.length; at++)
      if (values[at] !== EMPTY) this.#insert(hashes[at]!, values[at]!);
  }
}
