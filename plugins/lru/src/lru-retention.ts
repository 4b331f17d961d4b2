import type { HeldEntry, Retention } from "@membus/plugin-kit";
import { LRUCache } from "lru-cache";
import type { ResolvedLruOptions } from "./lru-options.js";

/** What a scope takes besides its partition, roughly: many small ones are bounded by it. */
const SCOPE_BYTES = 4 * 1024;

/** The entries of one scope. It drops nothing itself: bounds span scopes, and the kit has to know. */
class ScopeEntries {
  /** Bytes by key hash, in order of use. */
  readonly #sizes = new LRUCache<string, number>({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: (sizeBytes) => sizeBytes,
  });
  /** What their partition takes, with its indexes. */
  #partitionBytes = 0;

  get size(): number {
    return this.#sizes.size;
  }

  get sizeBytes(): number {
    if (this.size === 0) return 0;
    return SCOPE_BYTES + Math.max(this.#sizes.calculatedSize, this.#partitionBytes);
  }

  get leastRecent(): string {
    const [keyHash] = this.#sizes.rkeys();
    return keyHash!;
  }

  set(keyHash: string, sizeBytes: number): void {
    this.#sizes.set(keyHash, sizeBytes);
  }

  touch(keyHash: string): void {
    this.#sizes.get(keyHash);
  }

  /** False where it is not there. Its share of the indexes goes with it, until they are measured again. */
  delete(keyHash: string): boolean {
    const sizeBytes = this.#sizes.peek(keyHash);
    if (sizeBytes === undefined) return false;
    this.#partitionBytes = Math.floor(this.#partitionBytes * (1 - sizeBytes / this.#sizes.calculatedSize));
    return this.#sizes.delete(keyHash);
  }

  measured(partitionBytes: number): void {
    this.#partitionBytes = partitionBytes;
  }
}

/** Over a bound of all scopes a hundredth more goes than need be, and scopes of nearly the largest size go with it. */
const NEARLY = 0.99;

/** Least recently used first, within each scope; over the bound of all scopes, the largest gives way. */
export class LruRetention implements Retention {
  readonly #scopes = new Map<string, ScopeEntries>();
  readonly #overfull = new Set<string>();
  #count = 0;
  #sizeBytes = 0;

  constructor(readonly options: ResolvedLruOptions) {}

  get idleS(): number {
    return this.options.idleS;
  }

  stored({ scope, keyHash }: HeldEntry, sizeBytes: number): void {
    this.removed({ scope, keyHash });
    const entries = this.#scopes.get(scope) ?? new ScopeEntries();
    this.#scopes.set(scope, entries);
    this.#change(scope, entries, () => entries.set(keyHash, sizeBytes));
    this.#count += 1;
  }

  touched({ scope, keyHash }: HeldEntry): void {
    this.#scopes.get(scope)?.touch(keyHash);
  }

  removed({ scope, keyHash }: HeldEntry): void {
    const entries = this.#scopes.get(scope);
    if (entries === undefined) return;
    const before = entries.sizeBytes;
    if (!entries.delete(keyHash)) return;
    this.#count -= 1;
    if (entries.size === 0) this.#scopes.delete(scope);
    this.#sizeBytes -= before - entries.sizeBytes;
  }

  measured(scope: string, partitionBytes: number): void {
    const entries = this.#scopes.get(scope);
    if (entries !== undefined) this.#change(scope, entries, () => entries.measured(partitionBytes));
  }

  overflow(): Iterable<HeldEntry> {
    return this.#overfull.size > 0 || this.#isOverAll(1) ? this.#releaseOverflow() : [];
  }

  stats(): Record<string, number> {
    return { lru_entries: this.#count, lru_bytes: this.#sizeBytes, lru_scopes: this.#scopes.size };
  }

  *#releaseOverflow(): Iterable<HeldEntry> {
    for (const scope of this.#overfull) {
      const entries = this.#scopes.get(scope);
      while (entries !== undefined && this.#isOver(entries)) yield this.#release(scope, entries);
    }
    this.#overfull.clear();
    if (this.#isOverAll(1)) while (this.#isOverAll(NEARLY)) yield* this.#releaseLargest();
  }

  #change(scope: string, entries: ScopeEntries, change: () => void): void {
    const before = entries.sizeBytes;
    change();
    this.#sizeBytes += entries.sizeBytes - before;
    if (this.#isOver(entries)) this.#overfull.add(scope);
  }

  #isOver({ size, sizeBytes }: ScopeEntries): boolean {
    return size > this.options.scopeEntriesMax || sizeBytes > this.options.scopeBytesMax;
  }

  #isOverAll(share: number): boolean {
    const { entriesMax, bytesMax } = this.options;
    return this.#count > Math.ceil(entriesMax * share) || this.#sizeBytes > bytesMax * share;
  }

  *#releaseLargest(): Iterable<HeldEntry> {
    let largest = 0;
    for (const { sizeBytes } of this.#scopes.values()) largest = Math.max(largest, sizeBytes);
    for (const [scope, entries] of this.#scopes) {
      const isLarge = () => entries.sizeBytes > largest * NEARLY;
      while (isLarge() && this.#isOverAll(NEARLY)) yield this.#release(scope, entries);
    }
  }

  #release(scope: string, entries: ScopeEntries): HeldEntry {
    const entry = { scope, keyHash: entries.leastRecent };
    this.removed(entry);
    return entry;
  }
}
