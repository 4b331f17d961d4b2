import { type Clock, MemoryError } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { UNRELATED_QUERIES, UNRELATED_TEXTS } from "./unrelated-texts.js";

/**
 * Rounding of the cosine. Providers do not return exactly the same vectors each time, and relevance must not
 * change with every start.
 */
const PER_UNIT = 1_000;
const COSINE_MAX = 0.98;
/** Milliseconds until a failed measurement is retried, because every query requests it. */
const RETRY_MS = 5_000;

/** Returns the embedder with `unrelatedCosine`. On first use it embeds 48 short texts once. */
export function withUnrelatedCosine(embedder: Embedder, { clock }: { readonly clock: Clock }): Embedder {
  let measured: Promise<number> | undefined;
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    embed: (texts, kind, options) => embedder.embed(texts, kind, options),
    unrelatedCosine() {
      measured ??= measure(embedder).catch((error: unknown) => {
        clock.after(RETRY_MS, () => (measured = undefined), { background: true });
        throw error;
      });
      return measured;
    },
  };
}

/** @throws {MemoryError} `runtime_error` for vectors without a cosine. */
async function measure(embedder: Embedder): Promise<number> {
  const [queries, texts] = await Promise.all([
    embedder.embed(UNRELATED_QUERIES, "query"),
    embedder.embed(UNRELATED_TEXTS, "document"),
  ]);
  const cosines = queries.flatMap((query) => texts.map((text) => cosine(query, text)));
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  if (!Number.isFinite(mean))
    throw new MemoryError("runtime_error", `${embedder.id} returned no vectors for the reference texts`);
  return Math.min(COSINE_MAX, Math.round(mean * PER_UNIT) / PER_UNIT);
}

/** Returns the cosine of two unit vectors, 0 if a text has none. */
function cosine(query: Float32Array | null, text: Float32Array | null): number {
  if (query === null || text === null) return 0;
  return query.reduce((sum, component, index) => sum + component * text[index]!, 0);
}
