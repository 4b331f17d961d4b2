import { hash } from "node:crypto";
import { type Embedder, type EmbedKind, untilAborted } from "@membus/protocol";
import { LRUCache } from "lru-cache";
import { TextBatches } from "./text-batches.js";

export interface EmbedderCacheOptions {
  readonly embedderCacheBytesMax: number;
  readonly embedderConcurrency: number;
}

/** What an entry takes besides its components: the key, and its places in the cache. */
const ENTRY_BYTES = 256;

type Vector = Float32Array | null;

/**
 * An embedder that embeds a text once, however many tiers and requests ask for it at the same time or soon after, and
 * several of them with one call. All get the same vector, so none may change it. A failure is not kept.
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
    options: { signal?: AbortSignal } = {},
  ): Promise<Vector[]> {
    options.signal?.throwIfAborted();
    const all = Promise.all(this.#lookUp(texts, kind));
    return options.signal === undefined ? all : untilAborted(all, options.signal);
  }

  #lookUp(texts: readonly string[], kind: EmbedKind): (Vector | Promise<Vector>)[] {
    const missing = new Map<string, string>();
    const keys = texts.map((text) => this.#keyOf(text, kind));
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

  /** A digest: texts may be long, and the cache outlives them. */
  #keyOf(text: string, kind: EmbedKind): string {
    return hash("sha256", `${this.#embedder.id}\n${kind}\n${text}`, "base64");
  }
}
