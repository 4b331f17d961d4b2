import { SECRET_MULTIPLIER } from "../hash-table.js";

const HASH_BYTES = 32;
const EMPTY = 0;
const REMOVED = 0xffffffff;
/** Buffer for the hash that is scanned up. */
const LOOKUP_HASH = Buffer.alloc(HASH_BYTES);

/**
 * Maps key hashes to slots by open addressing over 32-byte hashes. It takes about 40 bytes per key, a Map of
 * strings takes 200.
 */
export class KeyIndex {
  #hashes = Buffer.alloc(HASH_BYTES);
  /** Slot + 1, or the markers EMPTY and REMOVED. At most half of the table is used, so that a search ends. */
  #table = new Uint32Array(2);
  /** Upper bound of the number of positions that are not EMPTY. */
  #used = 0;

  /** Reserves space for `keys` keys in total. */
  reserve(keys: number): void {
    this.#reserveHashes(keys);
    if (keys * 2 > this.#table.length) this.#rehash(keys + 1);
  }

  /** Returns the hash of a slot in hex. */
  hashOf(slot: number): string {
    return this.#hashes.toString("hex", slot * HASH_BYTES, (slot + 1) * HASH_BYTES);
  }

  /** Compares the hashes of two slots. The order equals the order of the hashes in hex. */
  compare(a: number, b: number): number {
    const from = a * HASH_BYTES;
    const to = b * HASH_BYTES;
    return this.#hashes.compare(this.#hashes, to, to + HASH_BYTES, from, from + HASH_BYTES);
  }

  get(keyHash: string): number | undefined {
    return this.#parseLookup(keyHash) ? this.#find(LOOKUP_HASH, 0) : undefined;
  }

  /** Maps a hash to `slot`, replacing a former slot of the same key. */
  set(keyHash: string, slot: number): void {
    if (!this.#parseLookup(keyHash)) throw new TypeError(`not a key hash (64 hex digits): ${keyHash}`);
    this.#storeHash(LOOKUP_HASH, 0, slot);
  }

  /** Stores the hashes of the slots from `first` on, 32 bytes each, without mapping them yet. */
  addAll(hashes: Uint8Array, first: number): void {
    const slots = first + hashes.length / HASH_BYTES;
    this.#reserveHashes(slots);
    this.#hashes.set(hashes, first * HASH_BYTES);
    if ((this.#used + slots - first) * 2 > this.#table.length) this.#rehash(this.#used + slots - first);
  }

  /**
   * Maps the stored hash of a slot to it, unless the hash is mapped already. Then it returns the mapped slot.
   */
  claim(slot: number): number | undefined {
    const at = this.#position(this.#hashes, slot * HASH_BYTES);
    const filed = this.#table[at]!;
    if (filed !== EMPTY) return filed - 1;
    this.#used++;
    this.#table[at] = slot + 1;
    return undefined;
  }

  /** Maps the stored hash of a slot to it, replacing the slot that it was mapped to. */
  replace(slot: number): void {
    this.#table[this.#position(this.#hashes, slot * HASH_BYTES)] = slot + 1;
  }

  /** Maps the hash of `formerSlot` in another index to `slot`. */
  setFrom(other: KeyIndex, formerSlot: number, slot: number): void {
    this.#storeHash(other.#hashes, formerSlot * HASH_BYTES, slot);
  }

  delete(slot: number): void {
    const at = this.#position(this.#hashes, slot * HASH_BYTES);
    if (this.#table[at] === slot + 1) this.#table[at] = REMOVED;
  }

  /** Erases the stored hash of an unmapped slot. */
  clear(slot: number): void {
    this.#hashes.fill(0, slot * HASH_BYTES, (slot + 1) * HASH_BYTES);
  }

  get sizeBytes(): number {
    return this.#hashes.byteLength + this.#table.byteLength;
  }

  /** Parses a hash into the buffer. Returns false if it is not a hash in hex. */
  #parseLookup(keyHash: string): boolean {
    return keyHash.length === 2 * HASH_BYTES && LOOKUP_HASH.write(keyHash, "hex") === HASH_BYTES;
  }

  #storeHash(source: Uint8Array, offset: number, slot: number): void {
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

  /** Returns the position of the hash, or the free position where it would be inserted. */
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

  /**
   * Rebuilds the table without removed positions, with space for `keys` keys and at least twice the mapped
   * ones.
   */
  #rehash(keys: number): void {
    const filed = this.#table.filter((entry) => entry !== EMPTY && entry !== REMOVED);
    let length = this.#table.length;
    while (Math.max(keys, 2 * filed.length) * 2 > length) length *= 2;
    this.#table = new Uint32Array(length);
    this.#used = filed.length;
    for (const entry of filed) this.#table[this.#position(this.#hashes, (entry - 1) * HASH_BYTES)] = entry;
  }
}
