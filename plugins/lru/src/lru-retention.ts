import type { HeldEntry, Retention } from "@membus/plugin-kit";
import { LRUCache } from "lru-cache";
import type { ResolvedLruOptions } from "./lru-options.js";

/** Bytes by key hash, in order of use. It drops nothing itself: bounds span scopes, and the kit has to know. */
type ScopeEntries = LRUCache<string, number>;

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
    const entries = this.#scopes.get(scope) ?? newEntries();
    this.#scopes.set(scope, entries.set(keyHash, sizeBytes));
    this.#count += 1;
    this.#sizeBytes += sizeBytes;
    if (this.#isOver(entries)) this.#overfull.add(scope);
  }

  touched({ scope, keyHash }: HeldEntry): void {
    this.#scopes.get(scope)?.get(keyHash);
  }

  removed({ scope, keyHash }: HeldEntry): void {
    const entries = this.#scopes.get(scope);
    const sizeBytes = entries?.peek(keyHash);
    if (entries === undefined || sizeBytes === undefined) return;
    entries.delete(keyHash);
    this.#count -= 1;
    this.#sizeBytes -= sizeBytes;
    if (entries.size === 0) this.#scopes.delete(scope);
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

  #isOver({ size, calculatedSize }: ScopeEntries): boolean {
    return size > this.options.scopeEntriesMax || calculatedSize > this.options.scopeBytesMax;
  }

  #isOverAll(share: number): boolean {
    const { entriesMax, bytesMax } = this.options;
    return this.#count > Math.ceil(entriesMax * share) || this.#sizeBytes > bytesMax * share;
  }

  *#releaseLargest(): Iterable<HeldEntry> {
    let largest = 0;
    for (const { calculatedSize } of this.#scopes.values()) largest = Math.max(largest, calculatedSize);
    for (const [scope, entries] of this.#scopes) {
      const isLarge = () => entries.calculatedSize > largest * NEARLY;
      while (isLarge() && this.#isOverAll(NEARLY)) yield this.#release(scope, entries);
    }
  }

  #release(scope: string, entries: ScopeEntries): HeldEntry {
    const [keyHash] = entries.rkeys();
    const entry = { scope, keyHash: keyHash! };
    this.removed(entry);
    return entry;
  }
}

function newEntries(): ScopeEntries {
  return new LRUCache({ maxSize: Number.MAX_SAFE_INTEGER, sizeCalculation: (sizeBytes) => sizeBytes });
}
