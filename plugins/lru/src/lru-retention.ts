import type { HeldEntry, Retention } from "@membus/plugin-kit";
import type { Clock } from "@membus/protocol";
import { LRUCache } from "lru-cache";
import type { ResolvedLruOptions } from "./lru-options.js";

/** The entries of one scope in order of use: key hash and size in bytes. */
interface ScopeUse {
  readonly entries: LRUCache<string, number>;
  usedAt: number;
}

/** Least recently used first, within each scope; over the bound of all scopes, the largest gives way. */
export class LruRetention implements Retention {
  readonly #scopes = new Map<string, ScopeUse>();
  readonly #overfull = new Set<string>();
  #count = 0;
  #sizeBytes = 0;

  constructor(
    readonly options: ResolvedLruOptions,
    readonly clock: Clock,
  ) {}

  stored({ scope, keyHash }: HeldEntry, sizeBytes: number): void {
    this.removed({ scope, keyHash });
    const use = this.#scopes.get(scope) ?? this.#begin(scope);
    use.entries.set(keyHash, sizeBytes);
    use.usedAt = this.clock.now();
    this.#count += 1;
    this.#sizeBytes += sizeBytes;
    if (this.#isOver(use)) this.#overfull.add(scope);
  }

  touched({ scope, keyHash }: HeldEntry): void {
    const use = this.#scopes.get(scope);
    use?.entries.get(keyHash);
    if (use !== undefined) use.usedAt = this.clock.now();
  }

  removed({ scope, keyHash }: HeldEntry): void {
    const use = this.#scopes.get(scope);
    const sizeBytes = use?.entries.peek(keyHash);
    if (use === undefined || sizeBytes === undefined) return;
    use.entries.delete(keyHash);
    this.#count -= 1;
    this.#sizeBytes -= sizeBytes;
    if (use.entries.size === 0) this.#scopes.delete(scope);
  }

  *overflow(): Iterable<HeldEntry> {
    for (const scope of this.#overfull) {
      for (let use = this.#scopes.get(scope); use && this.#isOver(use); ) yield this.#release(scope, use);
    }
    this.#overfull.clear();
    while (this.#isOverAll()) yield* this.#releaseSome(...this.#largest());
  }

  *idleScopes(now: number): Iterable<string> {
    for (const [scope, use] of this.#scopes) if (use.usedAt <= now - this.options.idleS) yield scope;
  }

  stats(): Record<string, number> {
    return { lru_entries: this.#count, lru_bytes: this.#sizeBytes, lru_scopes: this.#scopes.size };
  }

  #begin(scope: string): ScopeUse {
    // The order of use is the cache's, the bounds are ours: it must not drop what still stands in the partition.
    const entries = new LRUCache<string, number>({
      maxSize: Number.MAX_SAFE_INTEGER,
      sizeCalculation: (sizeBytes) => sizeBytes,
    });
    const use = { entries, usedAt: 0 };
    this.#scopes.set(scope, use);
    return use;
  }

  #isOver({ entries }: ScopeUse): boolean {
    const { scopeEntriesMax, scopeBytesMax } = this.options;
    return entries.size > scopeEntriesMax || entries.calculatedSize > scopeBytesMax;
  }

  #isOverAll(): boolean {
    return this.#count > this.options.entriesMax || this.#sizeBytes > this.options.bytesMax;
  }

  /** A hundredth of the scope at a time, so that the search for the largest is not repeated for every entry. */
  *#releaseSome(scope: string, use: ScopeUse): Iterable<HeldEntry> {
    for (let count = Math.ceil(use.entries.size / 100); count > 0; count--) yield this.#release(scope, use);
  }

  #release(scope: string, use: ScopeUse): HeldEntry {
    const [keyHash] = use.entries.rkeys();
    const entry = { scope, keyHash: keyHash! };
    this.removed(entry);
    return entry;
  }

  #largest(): [string, ScopeUse] {
    let largest: [string, ScopeUse] | undefined;
    for (const candidate of this.#scopes) {
      if (largest === undefined || candidate[1].entries.calculatedSize > largest[1].entries.calculatedSize)
        largest = candidate;
    }
    return largest!;
  }
}
