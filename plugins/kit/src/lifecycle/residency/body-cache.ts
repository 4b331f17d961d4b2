import { LRUCache } from "lru-cache";
import { textBytes } from "../../text-bytes.js";

/** Reads bodies that are not in RAM. Deleted rows are missing from the result. */
export type ReadBodies = (scope: string, rowIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** Bytes that the cache counts per body in addition to its text. */
export const BODY_OVERHEAD_BYTES = 96;

/** Bodies in RAM: bodies that are not in storage yet, and the most recently used of the others. */
export class BodyCache {
  readonly #pinned = new Map<number, string>();
  readonly #cached: LRUCache<number, string>;
  readonly #read: ReadBodies;
  #runningReads = 0;
  /** Rows that were dropped during a read. Their bodies must not be cached. */
  readonly #droppedDuringRead = new Set<number>();

  constructor(options: { readonly cacheBytes: number }, read: ReadBodies) {
    this.#read = read;
    this.#cached = new LRUCache({
      maxSize: options.cacheBytes,
      sizeCalculation: (body) => textBytes(body) + BODY_OVERHEAD_BYTES,
    });
  }

  /** Keeps a body that exists nowhere else, until `unpin` or `drop`. */
  pin(rowId: number, body: string): void {
    this.#pinned.set(rowId, body);
  }

  /** Makes bodies evictable, because storage has the rows now. */
  unpin(rowIds: readonly number[]): void {
    for (const rowId of rowIds) {
      const body = this.#pinned.get(rowId);
      if (body === undefined) continue;
      this.#pinned.delete(rowId);
      this.#cached.set(rowId, body);
    }
  }

  /** Drops the body of a removed row. */
  drop(rowId: number): void {
    this.#pinned.delete(rowId);
    this.#cached.delete(rowId);
    if (this.#runningReads > 0) this.#droppedDuringRead.add(rowId);
  }

  peek(rowId: number): string | undefined {
    return this.#pinned.get(rowId) ?? this.#cached.get(rowId);
  }

  /** Returns the bodies of rows of one scope by row id. Deleted rows are missing. */
  async get(scope: string, rowIds: readonly number[]): Promise<Map<number, string>> {
    const bodies = new Map<number, string>();
    const missing: number[] = [];
    for (const rowId of rowIds) {
      const body = this.peek(rowId);
      if (body === undefined) missing.push(rowId);
      else bodies.set(rowId, body);
    }
    if (missing.length > 0) await this.#readInto(bodies, scope, missing);
    return bodies;
  }

  async #readInto(bodies: Map<number, string>, scope: string, rowIds: readonly number[]): Promise<void> {
    this.#runningReads++;
    try {
      for (const [rowId, body] of await this.#read(scope, rowIds)) {
        bodies.set(rowId, body);
        if (!this.#droppedDuringRead.has(rowId)) this.#cached.set(rowId, body);
      }
    } finally {
      if (--this.#runningReads === 0) this.#droppedDuringRead.clear();
    }
  }

  /** Limit of the evictable bodies. Bytes. */
  get bytesMax(): number {
    return this.#cached.maxSize;
  }

  get stats(): { bodies_pinned: number; bodies_cached: number; body_cache_bytes: number } {
    const { size, calculatedSize } = this.#cached;
    return { bodies_pinned: this.#pinned.size, bodies_cached: size, body_cache_bytes: calculatedSize };
  }
}
