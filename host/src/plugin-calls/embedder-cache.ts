import { hash } from "node:crypto";
import { abortable, isMemoryError, MemoryError } from "@membus/protocol";
import type { Embedder, EmbedKind, EmbedOptions } from "@membus/protocol/plugin";
import { LRUCache } from "lru-cache";
import { RETRY_AFTER_MS } from "./concurrency-limiter.js";

export interface EmbedderCacheOptions {
  readonly embedderCacheBytesMax: number;
  readonly embedderConcurrency: number;
}

/** Estimated bytes of a cache entry in addition to its vector: the key and the cache's own structures. */
const ENTRY_BYTES = 256;

type Vector = Float32Array | null;

/**
 * Embeds each text once per `cacheScope`, even if several tiers and requests need it at the same time. Vectors
 * are not shared between different `cacheScope` values, because a fast answer would reveal that another caller
 * has the same text. Texts of different callers share one embedder call. All callers get the same vector and
 * must not change it. Failures are not cached.
 */
export class EmbedderCache implements Embedder {
  readonly #embedder: Embedder;
  readonly #batches: TextBatches;
  readonly #inFlight = new Map<string, Promise<Vector>>();
  readonly #known: LRUCache<string, { readonly vector: Vector }>;
  readonly unrelatedCosine?: NonNullable<Embedder["unrelatedCosine"]>;

  constructor(embedder: Embedder, options: EmbedderCacheOptions) {
    this.#embedder = embedder;
    this.#batches = new TextBatches(embedder, options.embedderConcurrency);
    this.#known = new LRUCache({
      maxSize: options.embedderCacheBytesMax,
      sizeCalculation: ({ vector }) => ENTRY_BYTES + (vector?.byteLength ?? 0),
    });
    const unrelatedCosine = embedder.unrelatedCosine?.bind(embedder);
    if (unrelatedCosine !== undefined) this.unrelatedCosine = unrelatedCosine;
  }

  get id(): string {
    return this.#embedder.id;
  }

  get dimensions(): number {
    return this.#embedder.dimensions;
  }

  /** Aborting ends only the wait. The work continues, because other callers may need it. */
  async embed(
    texts: readonly string[],
    kind: EmbedKind,
    { signal, cacheScope }: EmbedOptions = {},
  ): Promise<Vector[]> {
    signal?.throwIfAborted();
    const all =
      cacheScope === undefined
        ? this.#batches.embed(texts, kind)
        : Promise.all(this.#lookUp(texts, kind, cacheScope));
    return signal === undefined ? all : abortable(all, signal);
  }

  #lookUp(texts: readonly string[], kind: EmbedKind, cacheScope: string): (Vector | Promise<Vector>)[] {
    const missing = new Map<string, string>();
    const keyPrefix = `${this.#embedder.id}\n${kind}\n${cacheScope.length}\n${cacheScope}`;
    const keys = texts.map((text) => keyOf(keyPrefix, text));
    const found = keys.map((key, index) => {
      const known = this.#known.get(key);
      if (known !== undefined) return known.vector;
      const inFlight = this.#inFlight.get(key);
      if (inFlight === undefined) missing.set(key, texts[index]!);
      return inFlight;
    });
    if (missing.size > 0) this.#embedMissing(missing, kind);
    return keys.map((key, index) => {
      const vector = found[index];
      return vector === undefined ? this.#inFlight.get(key)! : vector;
    });
  }

  #embedMissing(missing: ReadonlyMap<string, string>, kind: EmbedKind): void {
    const batch = this.#batches.embed([...missing.values()], kind);
    for (const [index, key] of [...missing.keys()].entries()) {
      const vector = batch.then((vectors) => vectors[index]!);
      this.#inFlight.set(key, vector);
      void vector
        .then(
          (made) => void this.#known.set(key, { vector: made }),
          () => {},
        )
        .finally(() => this.#inFlight.delete(key));
    }
  }
}

/** Returns a digest, because texts may be long and the cache outlives them. */
function keyOf(keyPrefix: string, text: string): string {
  return hash("sha256", keyPrefix + text, "base64");
}

/** Maximum queued calls. Further calls are refused with `overloaded`. */
const QUEUE_COUNT_MAX = 1_024;
/** Maximum texts of a batch. A call is never split. */
const BATCH_TEXT_COUNT_MAX = 256;
const BATCH_CHARACTERS_MAX = 256 * 1024;

type Vectors = (Float32Array | null)[];

interface Call {
  readonly texts: readonly string[];
  readonly characters: number;
  resolve(vectors: Vectors): void;
  reject(error: unknown): void;
}

/**
 * Batches embedder calls: calls of the same turn of the event loop, and calls that are queued while the
 * maximum number of calls is running. Queries go before documents, because a caller waits for them.
 */
export class TextBatches {
  readonly #embedder: Embedder;
  readonly #waiting: Readonly<Record<EmbedKind, Call[]>> = { query: [], document: [] };
  #freeSlots: number;

  constructor(embedder: Embedder, concurrency: number) {
    this.#embedder = embedder;
    this.#freeSlots = concurrency;
  }

  /**
   * Returns one vector per text, in order.
   * @throws {MemoryError} `overloaded` if the queue is full, and any error of the embedder.
   */
  embed(texts: readonly string[], kind: EmbedKind): Promise<Vectors> {
    const waiting = this.#waiting;
    if (waiting.query.length + waiting.document.length >= QUEUE_COUNT_MAX) return Promise.reject(fullError());
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    return new Promise((resolve, reject) => {
      waiting[kind].push({ texts, characters, resolve, reject });
      queueMicrotask(() => this.#start());
    });
  }

  #start(): void {
    for (const kind of ["query", "document"] as const) {
      while (this.#freeSlots > 0 && this.#waiting[kind].length > 0) {
        this.#freeSlots--;
        void this.#run(nextBatch(this.#waiting[kind]), kind).finally(() => {
          this.#freeSlots++;
          this.#start();
        });
      }
    }
  }

  async #run(calls: readonly Call[], kind: EmbedKind): Promise<void> {
    try {
      const vectors = await this.#embedChecked(
        calls.flatMap(({ texts }) => texts),
        kind,
      );
      let from = 0;
      for (const { texts, resolve } of calls) {
        resolve(vectors.slice(from, from + texts.length));
        from += texts.length;
      }
    } catch (error) {
      if (calls.length === 1 || isTransient(error)) for (const { reject } of calls) reject(error);
      // The text of one caller must not make other callers fail.
      else for (const call of calls) await this.#run([call], kind);
    }
  }

  async #embedChecked(texts: readonly string[], kind: EmbedKind): Promise<Vectors> {
    const { dimensions } = this.#embedder;
    const vectors = await this.#embedder.embed(texts, kind);
    const isComplete = vectors.length === texts.length;
    if (isComplete && vectors.every((vector) => vector === null || vector.length === dimensions))
      return vectors;
    throw new MemoryError("unavailable", "the embedder returned a wrong number or size of vectors");
  }
}

/** Takes the calls of the next batch from the front of `waiting`, at least one. */
function nextBatch(waiting: Call[]): Call[] {
  let texts = 0;
  let characters = 0;
  const end = waiting.findIndex((call, index) => {
    texts += call.texts.length;
    characters += call.characters;
    return index > 0 && (texts > BATCH_TEXT_COUNT_MAX || characters > BATCH_CHARACTERS_MAX);
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** Returns whether a retry of the same texts may succeed, so that no text is at fault. */
function isTransient(error: unknown): boolean {
  return isMemoryError(error) && error.retryable;
}

function fullError(): MemoryError {
  return new MemoryError("overloaded", "the embedder queue is full. Retry later", {
    retry_after_ms: RETRY_AFTER_MS,
  });
}
