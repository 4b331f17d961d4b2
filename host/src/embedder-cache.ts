import { createHash } from "node:crypto";
import { type Clock, type Embedder, type EmbedKind, MemoryError } from "@membus/protocol";
import { Lane } from "./lane.js";
import { RecentMap } from "./recent-map.js";

export interface EmbedderCacheOptions {
  readonly embedderCacheCountMax: number;
  readonly embedderConcurrency: number;
}

/** Calls of the embedder that wait for their turn; further ones are `overloaded`. */
const QUEUE_COUNT_MAX = 1_024;

type Vector = Promise<Float32Array | null>;

/**
 * An embedder that embeds a text once, however many tiers and requests ask for it at the same time or soon after.
 * All of them get the same vector, so none may change it. A failure is not kept.
 */
export class EmbedderCache implements Embedder {
  readonly #embedder: Embedder;
  readonly #vectors: RecentMap<string, Vector>;
  readonly #lane: Lane;

  constructor(embedder: Embedder, options: EmbedderCacheOptions, clock: Clock) {
    this.#embedder = embedder;
    this.#vectors = new RecentMap(options.embedderCacheCountMax);
    this.#lane = new Lane(
      { concurrency: options.embedderConcurrency, queueCountMax: QUEUE_COUNT_MAX },
      clock,
    );
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
    options: { signal?: AbortSignal } = {},
  ): Promise<(Float32Array | null)[]> {
    options.signal?.throwIfAborted();
    const vectors = this.#lookUp(texts, kind);
    const all = Promise.all(vectors);
    return options.signal === undefined ? all : untilAborted(all, options.signal);
  }

  #lookUp(texts: readonly string[], kind: EmbedKind): Vector[] {
    const missing = new Map<string, { readonly text: string; readonly index: number }>();
    const keys = texts.map((text) => cacheKey(text, kind));
    const known = keys.map((key, index) => {
      const vector = this.#vectors.get(key);
      if (vector === undefined && !missing.has(key))
        missing.set(key, { text: texts[index]!, index: missing.size });
      return vector;
    });
    if (missing.size === 0) return known as Vector[];
    const batch = this.#embedMissing(
      [...missing.values()].map(({ text }) => text),
      kind,
    );
    const made = new Map([...missing].map(([key, { index }]) => [key, this.#keep(key, batch, index)]));
    return keys.map((key, index) => known[index] ?? made.get(key)!);
  }

  async #embedMissing(texts: readonly string[], kind: EmbedKind): Promise<(Float32Array | null)[]> {
    const vectors = await this.#lane.run(() => this.#embedder.embed(texts, kind));
    const isComplete = vectors.length === texts.length;
    if (isComplete && vectors.every((vector) => vector === null || vector.length === this.dimensions)) {
      return vectors;
    }
    throw new MemoryError("unavailable", "the embedder gave other vectors than asked for");
  }

  #keep(key: string, batch: Promise<(Float32Array | null)[]>, index: number): Vector {
    const vector = batch.then((vectors) => vectors[index]!);
    this.#vectors.set(key, vector);
    vector.catch(() => this.#vectors.delete(key));
    return vector;
  }
}

/** By hash: texts may be long, and the cache outlives them. */
function cacheKey(text: string, kind: EmbedKind): string {
  return kind + createHash("sha256").update(text).digest("base64");
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
