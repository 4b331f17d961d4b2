import {
  type Embedder,
  isMemoryError,
  MemoryError,
  type PluginRetrieveRequest,
  within,
} from "@membus/protocol";
import {
  type CosineScale,
  cosineScale,
  type Partition,
  type QueryTerm,
  unitVector,
} from "../../search/index.js";
import type { RetrieveParts } from "../tier.js";

/** What a request ranks by. */
export interface PreparedQuery {
  readonly terms: readonly QueryTerm[];
  readonly vector?: Float32Array | undefined;
  /** How its cosines become closeness. */
  readonly scale?: CosineScale | undefined;
  /** Why the ranking is less than what was asked. */
  readonly degraded?: MemoryError | undefined;
}

type EmbeddedQuery = Pick<PreparedQuery, "vector" | "scale" | "degraded">;

/**
 * Analyses and embeds the query; undefined where the request has none.
 * @throws {MemoryError} `unavailable` when the embedder does not answer and there are no words to rank by;
 * `unsupported` where vectors are demanded of a tier without an embedder.
 */
export async function prepareQuery(
  tier: RetrieveParts,
  request: PluginRetrieveRequest,
): Promise<PreparedQuery | undefined> {
  const { query, embedding, mode, asker } = request;
  if (query === undefined && embedding === undefined) return undefined;
  const terms = mode === "vector" || query === undefined ? [] : tier.analyzer.analyzeQuery(query);
  if (mode === "text") return { terms };
  const { embedder } = tier;
  if (embedder === undefined) {
    if (mode !== "vector" && query !== undefined) return { terms };
    throw new MemoryError("unsupported", "this tier has no embedder", { feature: "similarity" });
  }
  const vectors = embedding
    ? [unitVector(embedding)]
    : embedder.embed([query!], "query", asker === undefined ? {} : { cacheFor: asker });
  const embedded = await embedQuery(tier, embedder, vectors);
  if (embedded.degraded && (mode === "vector" || query === undefined)) throw embedded.degraded;
  return { terms, ...embedded };
}

/**
 * The query as one partition is to be asked: by words alone while that is being embedded anew, so that no entry is at a
 * disadvantage because its turn has not come. A caller's own vector is of the present embedder.
 */
export function queryFor(partition: Partition, query: PreparedQuery, isGiven: boolean): PreparedQuery {
  if (isGiven || !partition.isBeingEmbeddedAnew) return query;
  const { terms, vector, degraded } = query;
  const isByVector = vector !== undefined || degraded !== undefined;
  return isByVector ? { terms, degraded: beingEmbedded() } : { terms };
}

function beingEmbedded(): MemoryError {
  const message = "the entries are being embedded anew; words alone find them meanwhile";
  return new MemoryError("unavailable", message, { reason: "reindex" });
}

/** A query, or the vector that its caller made, waits for the embedder no longer than a store: words can answer it. */
async function embedQuery(
  tier: RetrieveParts,
  embedder: Embedder,
  vectors: ReturnType<Embedder["embed"]> | Float32Array[],
): Promise<EmbeddedQuery> {
  const answers = Promise.all([vectors, embedder.unrelatedCosine?.()]);
  try {
    const answer = await tier.foreground.run(within(tier.clock, tier.embedWaitMs, answers));
    if (answer === undefined) throw embedderError(undefined);
    const [[vector], unrelatedCosine] = answer;
    return { vector: vector ?? undefined, scale: cosineScale(unrelatedCosine) };
  } catch (error) {
    tier.logger.warn({ err: error, embedder: embedder.id }, "embedder failed; ranking by words alone");
    return { degraded: embedderError(error) };
  }
}

function embedderError(cause: unknown): MemoryError {
  if (isMemoryError(cause) && cause.retryable) return cause;
  return new MemoryError("unavailable", "the embedder does not answer", {}, { cause });
}
