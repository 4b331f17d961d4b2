import { grown } from "./slot-columns.js";

const HASH_BYTES = 32;
const EMPTY = 0;
const REMOVED = 0xffffffff;

/** Key hash to slot: open addressing over 32-byte hashes, about 40 bytes a key where a Map of strings takes 200. */
export class KeyIndex {
  #hashes = new Uint8Array(16 * HASH_BYTES);
  /** Slot + 1; EMPTY and REMOVED are markers. */
  #table = new Uint32Array(32);
  #used = 0;

  /** The hash that was filed with a slot, in hex. */
  hashOf(slot: number): string {
    return Buffer.from(this.#hashes.buffer, slot * HASH_BYTES, HASH_BYTES).toString("hex");
  }

  get(keyHash: string): number | undefined {
    return this.#find(Buffer.from(keyHash, "hex"), 0);
  }

  /** The slot of a hash that stands in `hashes` at row `index`. */
  getAt(hashes: Uint8Array, index: number): number | undefined {
    return this.#find(hashes, index * HASH_BYTES);
  }

  /** Files `slot` under its hash, in place of a former slot of the same key. */
  set(keyHash: string, slot: number): void {
    this.#write(Buffer.from(keyHash, "hex"), 0, slot);
  }

  setAt(hashes: Uint8Array, index: number, slot: number): void {
    this.#write(hashes, index * HASH_BYTES, slot);
  }

  delete(slot: number): void {
    const at = this.#position(this.#hashes, slot * HASH_BYTES);
    if (this.#table[at] === slot + 1) this.#table[at] = REMOVED;
  }

  get sizeBytes(): number {
    return this.#hashes.byteLength + this.#table.byteLength;
  }

  #write(source: Uint8Array, offset: number, slot: number): void {
    const end = (slot + 1) * HASH_BYTES;
    if (end > this.#hashes.length) this.#hashes = grown(this.#hashes, Math.max(end, this.#hashes.length * 2));
    this.#hashes.set(source.subarray(offset, offset + HASH_BYTES), slot * HASH_BYTES);
    if (++this.#used * 2 > this.#table.length) this.#rehash();
    this.#table[this.#position(source, offset)] = slot + 1;
  }

  #find(source: Uint8Array, offset: number): number | undefined {
    const filed = this.#table[this.#position(source, offset)]!;
    return filed === EMPTY ? undefined : filed - 1;
  }

  /** Where the hash is filed, or the free place where it would be. */
  #position(source: Uint8Array, offset: number): number {
    const mask = this.#table.length - 1;
    const start =
      source[offset]! |
      (source[offset + 1]! << 8) |
      (source[offset + 2]! << 16) |
      (source[offset + 3]! << 24);
    for (let at = start & mask; ; at = (at + 1) & mask) {
      const filed = this.#table[at]!;
      if (filed === EMPTY) return at;
      if (filed !== REMOVED && this.#equals(filed - 1, source, offset)) return at;
    }
  }

  #equals(slot: number, source: Uint8Array, offset: number): boolean {
    const base = slot * HASH_BYTES;
    for (let i = 0; i < HASH_BYTES; i++) {
      if (this.#hashes[base + i] !== source[offset + i]) return false;
    }
    return true;
  }

  #rehash(): void {
    const filed = this.#table.filter((entry) => entry !== EMPTY && entry !== REMOVED);
    let length = this.#table.length;
    while (filed.length * 4 > length) length *= 2;
    this.#table = new Uint32Array(length);
    this.#used = filed.length;
    for (const entry of filed) this.#table[this.#position(this.#hashes, (entry - 1) * HASH_BYTES)] = entry;
  }
}
