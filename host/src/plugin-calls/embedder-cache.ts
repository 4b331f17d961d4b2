import { hash } from "node:crypto";
import {
  type Embedder,
  type EmbedKind,
  type EmbedOptions,
  isMemoryError,
  MemoryError,
  untilAborted,
} from "@membus/protocol";
import { LRUCache } from "lru-cache";
import { RETRY_AFTER_MS } from "./lane.js";

export interface EmbedderCacheOptions {
  readonly embedderCacheBytesMax: number;
  readonly embedderConcurrency: number;
}

/** What an entry takes besides its components: the key, and its places in the cache. */
const ENTRY_BYTES = 256;

type Vector = Float32Array | null;

/**
 * An embedder that embeds a text once for each `cacheFor`, however many tiers and requests ask for it at the same time or
 * soon after: were it once for all, an answer that comes at once would tell that another has the same text. Several
 * texts go with one call, whoever asks. All get the same vector, so none may change it. A failure is not kept.
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

  /** An aborted caller stops waiting; the work goes on, because others may wait for it. */
  async embed(
    texts: readonly string[],
    kind: EmbedKind,
    { signal, cacheFor }: EmbedOptions = {},
  ): Promise<Vector[]> {
    signal?.throwIfAborted();
    const all =
      cacheFor === undefined
        ? this.#batches.embed(texts, kind)
        : Promise.all(this.#lookUp(texts, kind, cacheFor));
    return signal === undefined ? all : untilAborted(all, signal);
  }

  #lookUp(texts: readonly string[], kind: EmbedKind, cacheFor: string): (Vector | Promise<Vector>)[] {
    const missing = new Map<string, string>();
    const whose = `${this.#embedder.id}\n${kind}\n${cacheFor.length}\n${cacheFor}`;
    const keys = texts.map((text) => keyOf(whose, text));
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

/** A digest: texts may be long, and the cache outlives them. */
function keyOf(whose: string, text: string): string {
  return hash("sha256", whose + text, "base64");
}

/** Calls that wait for their turn; further ones are `overloaded`. */
const QUEUE_COUNT_MAX = 1_024;
/** Texts that calls are put together up to. A call is never cut. */
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
 * Puts calls of an embedder together: those that come in the same turn, and those that wait while as many as allowed
 * are under way. Queries go before documents, because somebody waits for them.
 */
export class TextBatches {
  readonly #embedder: Embedder;
  readonly #waiting: Readonly<Record<EmbedKind, Call[]>> = { query: [], document: [] };
  #free: number;

  constructor(embedder: Embedder, concurrency: number) {
    this.#embedder = embedder;
    this.#free = concurrency;
  }

  /**
   * A vector per text, in order.
   * @throws {MemoryError} `overloaded` when too many calls wait, and what the embedder throws.
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
      while (this.#free > 0 && this.#waiting[kind].length > 0) {
        this.#free--;
        void this.#run(nextBatch(this.#waiting[kind]), kind).finally(() => {
          this.#free++;
          this.#start();
        });
      }
    }
  }

  async #run(calls: readonly Call[], kind: EmbedKind): Promise<void> {
    try {
      const vectors = await this.#ask(
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
      // One caller's text must not be the others' failure.
      else for (const call of calls) await this.#run([call], kind);
    }
  }

  async #ask(texts: readonly string[], kind: EmbedKind): Promise<Vectors> {
    const { dimensions } = this.#embedder;
    const vectors = await this.#embedder.embed(texts, kind);
    const isComplete = vectors.length === texts.length;
    if (isComplete && vectors.every((vector) => vector === null || vector.length === dimensions))
      return vectors;
    throw new MemoryError("unavailable", "the embedder gave other vectors than asked for");
  }
}

/** Takes the calls that fit together from the front of `waiting`, at least one. */
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

/** Whether the same texts may be answered later: not the fault of one of them. */
function isTransient(error: unknown): boolean {
  return isMemoryError(error) && error.retryable;
}

function fullError(): MemoryError {
  return new MemoryError("overloaded", "too many texts wait for the embedder", {
    retry_after_ms: RETRY_AFTER_MS,
  });
}
