/**
 * Map of the most recently used entries. It has two generations instead of one list in order of use. A full
 * young generation replaces the old one, so every step is O(1). Keeps at least `countMax` entries once it is
 * full, and at most twice as many.
 */
export class RecentMap<K, V> {
  readonly #countMax: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** Returns the value. Counts as a use. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#countMax) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
