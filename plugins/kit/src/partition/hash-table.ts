const EMPTY = 0;

/** 32-bit hashes to numbers below 2^32 - 1, in typed arrays: 8 bytes a place where a Map takes 40. */
export class HashTable {
  #hashes = new Uint32Array(64);
  /** Value + 1. */
  #values = new Uint32Array(64);
  #count = 0;

  get(hash: number): number | undefined {
    const value = this.#values[this.#position(hash)]!;
    return value === EMPTY ? undefined : value - 1;
  }

  /** For a hash that is not there yet. */
  add(hash: number, value: number): void {
    if (++this.#count * 2 > this.#hashes.length) this.#rehash();
    const at = this.#position(hash);
    this.#hashes[at] = hash;
    this.#values[at] = value + 1;
  }

  *entries(): Iterable<readonly [hash: number, value: number]> {
    for (let at = 0; at < this.#values.length; at++) {
      if (this.#values[at] !== EMPTY) yield [this.#hashes[at]!, this.#values[at]! - 1];
    }
  }

  get sizeBytes(): number {
    return this.#hashes.byteLength * 2;
  }

  #position(hash: number): number {
    const mask = this.#hashes.length - 1;
    let at = hash & mask;
    while (this.#values[at] !== EMPTY && this.#hashes[at] !== hash >>> 0) at = (at + 1) & mask;
    return at;
  }

  #rehash(): void {
    const entries = [...this.entries()];
    this.#hashes = new Uint32Array(2 * this.#hashes.length);
    this.#values = new Uint32Array(this.#hashes.length);
    for (const [hash, value] of entries) {
      const at = this.#position(hash);
      this.#hashes[at] = hash;
      this.#values[at] = value + 1;
    }
  }
}
