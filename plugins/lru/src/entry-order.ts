interface Entry {
  readonly keyHash: string;
  readonly sizeBytes: number;
  older: Entry | undefined;
  newer: Entry | undefined;
}

/**
 * The entries of one scope in order of use. A linked list, as a cache with arrays of its own takes some thousand bytes
 * for each of many small scopes, and a Map takes long to tell its first entry once many have gone before it.
 */
export class EntryOrder {
  readonly #entries = new Map<string, Entry>();
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
  /** Of all entries. */
  sizeBytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Of the entry that was used least recently. */
  get oldest(): string | undefined {
    return this.#oldest?.keyHash;
  }

  sizeOf(keyHash: string): number | undefined {
    return this.#entries.get(keyHash)?.sizeBytes;
  }

  /** An entry that is used now, in place of a former one of the same key. */
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
