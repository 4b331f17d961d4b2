import { SECRET_MULTIPLIER } from "../hash-table.js";

const HASH_BYTES = 32;
const EMPTY = 0;
const REMOVED = 0xffffffff;
/** A hash that is looked up, as bytes. */
const SOUGHT = Buffer.alloc(HASH_BYTES);

/** Key hash to slot: open addressing over 32-byte hashes, about 40 bytes a key where a Map of strings takes 200. */
export class KeyIndex {
  #hashes = Buffer.alloc(HASH_BYTES);
  /** Slot + 1; EMPTY and REMOVED are markers. At most half of it is in use, so that a search ends. */
  #table = new Uint32Array(2);
  /** Places that are not EMPTY, at least. */
  #used = 0;

  /** Room for `keys` in all. */
  reserve(keys: number): void {
    this.#reserveHashes(keys);
    if (keys * 2 > this.#table.length) this.#rehash(keys + 1);
  }

  /** The hash that was filed with a slot, in hex. */
  hashOf(slot: number): string {
    return this.#hashes.toString("hex", slot * HASH_BYTES, (slot + 1) * HASH_BYTES);
  }

  /** The order of two slots by their hashes, which is that of the hashes in hex. */
  compare(a: number, b: number): number {
    const from = a * HASH_BYTES;
    const to = b * HASH_BYTES;
    return this.#hashes.compare(this.#hashes, to, to + HASH_BYTES, from, from + HASH_BYTES);
  }

  get(keyHash: string): number | undefined {
    return this.#seek(keyHash) ? this.#find(SOUGHT, 0) : undefined;
  }

  /** Files `slot` under its hash, in place of a former slot of the same key. */
  set(keyHash: string, slot: number): void {
    if (!this.#seek(keyHash)) throw new TypeError(`not a key hash: ${keyHash}`);
    this.#write(SOUGHT, 0, slot);
  }

  /** Gives the slots from `first` on their hashes, 32 bytes each, and files none of them yet. */
  addAll(hashes: Uint8Array, first: number): void {
    const slots = first + hashes.length / HASH_BYTES;
    this.#reserveHashes(slots);
    this.#hashes.set(hashes, first * HASH_BYTES);
    if ((this.#used + slots - first) * 2 > this.#table.length) this.#rehash(this.#used + slots - first);
  }

  /** Files a slot that has its hash, unless another is filed under it: that one is returned. */
  claim(slot: number): number | undefined {
    const at = this.#position(this.#hashes, slot * HASH_BYTES);
    const filed = this.#table[at]!;
    if (filed !== EMPTY) return filed - 1;
    this.#used++;
    this.#table[at] = slot + 1;
    return undefined;
  }

  /** Files a slot that has its hash in place of another of the same hash. */
  replace(slot: number): void {
    this.#table[this.#position(this.#hashes, slot * HASH_BYTES)] = slot + 1;
  }

  /** Files `slot` under the hash that another index has with `formerSlot`. */
  setFrom(other: KeyIndex, formerSlot: number, slot: number): void {
    this.#write(other.#hashes, formerSlot * HASH_BYTES, slot);
  }

  delete(slot: number): void {
    const at = this.#position(this.#hashes, slot * HASH_BYTES);
    if (this.#table[at] === slot + 1) this.#table[at] = REMOVED;
  }

  /** Leaves nothing of the hash of a slot that is not filed. */
  clear(slot: number): void {
    this.#hashes.fill(0, slot * HASH_BYTES, (slot + 1) * HASH_BYTES);
  }

  get sizeBytes(): number {
    return this.#hashes.byteLength + this.#table.byteLength;
  }

  /** False for what is no hash in hex. */
  #seek(keyHash: string): boolean {
    return keyHash.length === 2 * HASH_BYTES && SOUGHT.write(keyHash, "hex") === HASH_BYTES;
  }

  #write(source: Uint8Array, offset: number, slot: number): void {
    this.#reserveHashes(slot + 1);
    this.#hashes.set(source.subarray(offset, offset + HASH_BYTES), slot * HASH_BYTES);
    if ((this.#used + 1) * 2 > this.#table.length) this.#rehash(0);
    this.#used++;
    this.#table[this.#position(source, offset)] = slot + 1;
  }

  #find(source: Uint8Array, offset: number): number | undefined {
    const filed = this.#table[this.#position(source, offset)]!;
    return filed === EMPTY ? undefined : filed - 1;
  }

  /** Where the hash is filed, or the free place where it would be. */
  #position(source: Uint8Array, offset: number): number {
    const mask = this.#table.length - 1;
    const first =
      source[offset]! |
      (source[offset + 1]! << 8) |
      (source[offset + 2]! << 16) |
      (source[offset + 3]! << 24);
    const start = Math.imul(first, SECRET_MULTIPLIER) >>> Math.clz32(mask);
    for (let at = start; ; at = (at + 1) & mask) {
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

  #reserveHashes(slots: number): void {
    const sizeBytes = slots * HASH_BYTES;
    if (sizeBytes <= this.#hashes.length) return;
    const larger = Buffer.alloc(Math.max(sizeBytes, 2 * this.#hashes.length));
    larger.set(this.#hashes);
    this.#hashes = larger;
  }

  /** A table for `keys` and for twice those that are filed, without the places of removed ones. */
  #rehash(keys: number): void {
    const filed = this.#table.filter((entry) => entry !== EMPTY && entry !== REMOVED);
    let length = this.#table.length;
    while (Math.max(keys, 2 * filed.length) * 2 > length) length *= 2;
    this.#table = new Uint32Array(length);
    this.#used = filed.length;
    for (const entry of filed) this.#table[this.#position(this.#hashes, (entry - 1) * HASH_BYTES)] = entry;
  }
}
