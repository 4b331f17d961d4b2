interface Entry {
  readonly keyHash: string;
  readonly sizeBytes: number;
  older: Entry | undefined;
  newer: Entry | undefined;
}

/**
 * Entries of one scope in order of use, as a linked list. An array-based cache needs thousands of bytes for
 * each of many small scopes. A Map takes long to find its first entry after many deletions.
 */
export class EntryOrder {
  readonly #entries = new Map<string, Entry>();
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
  /** Bytes of all entries. */
  sizeBytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Key hash of the least recently used entry. */
  get oldest(): string | undefined {
    return this.#oldest?.keyHash;
  }

  sizeOf(keyHash: string): number | undefined {
    return this.#entries.get(keyHash)?.sizeBytes;
  }

  /** Adds an entry as the most recently used one. Replaces an entry with the same key. */
  set(keyHash: string, sizeBytes: number): void {
    this.delete(keyHash);
    const entry = { keyHash, sizeBytes, older: undefined, newer: undefined };
    this.#entries.set(keyHash, entry);
    this.#append(entry);
    this.sizeBytes += sizeBytes;
  }

  touch(keyHash: string): void {
    const entry = this.#entries.get(keyHash);
    if (entry === undefined || entry === this.#newest) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  delete(keyHash: string): void {
    const entry = this.#entries.get(keyHash);
    if (entry === undefined) return;
    this.#entries.delete(keyHash);
    this.#unlink(entry);
    this.sizeBytes -= entry.sizeBytes;
  }

  #append(entry: Entry): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
