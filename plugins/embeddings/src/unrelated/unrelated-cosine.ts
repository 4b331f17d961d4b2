import { type Clock, type Embedder, MemoryError } from "@membus/protocol";
import { UNRELATED_QUERIES, UNRELATED_TEXTS } from "./unrelated-texts.js";

/** Providers do not return the same vector to the last bit: relevance is not to change with every start. */
const PER_UNIT = 1_000;
const COSINE_MAX = 0.98;
/** A provider that fails is left alone for a while: every query asks. */
const RETRY_MS = 5_000;

/** The same embedder, which also tells `unrelatedCosine`: it embeds 48 short texts, once, when it is first asked. */
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

/** @throws {MemoryError} `runtime_error` for vectors that have no cosine. */
async function measure(embedder: Embedder): Promise<number> {
  const [queries, texts] = await Promise.all([
    embedder.embed(UNRELATED_QUERIES, "query"),
    embedder.embed(UNRELATED_TEXTS, "document"),
  ]);
  const cosines = queries.flatMap((query) => texts.map((text) => cosine(query, text)));
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  if (!Number.isFinite(mean)) throw new MemoryError("runtime_error", `${embedder.id} gives no vectors`);
  return Math.min(COSINE_MAX, Math.round(mean * PER_UNIT) / PER_UNIT);
}

/** Of unit vectors; 0 where a text has none. */
function cosine(query: Float32Array | null, text: Float32Array | null): number {
  if (query === null || text === null) return 0;
  return query.reduce((sum, component, index) => sum + component * text[index]!, 0);
}
