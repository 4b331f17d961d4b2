import {
  type Embedder,
  isMemoryError,
  MemoryError,
  type PluginRetrieveRequest,
  within,
} from "@membus/protocol";
import type { QueryTerm } from "../analyzer/index.js";
import type { Tier } from "../tier.js";

/** What a request ranks by. */
export interface PreparedQuery {
  readonly terms: readonly QueryTerm[];
  readonly vector?: Float32Array;
  /** Why the ranking is less than what was asked. */
  readonly degraded?: MemoryError;
}

/**
 * Analyses and embeds the query; undefined where the request has none.
 * @throws {MemoryError} `unavailable` in mode vector when the embedder does not answer; `unsupported` where vectors
 * are demanded of a tier without an embedder.
 */
export async function prepareQuery(
  tier: Tier,
  request: PluginRetrieveRequest,
): Promise<PreparedQuery | undefined> {
  const { query, embedding, mode } = request;
  if (query === undefined && embedding === undefined) return undefined;
  const terms = mode === "vector" || query === undefined ? [] : tier.analyzer.analyzeQuery(query);
  if (mode === "text") return { terms };
  const { embedder } = tier.services;
  if (embedder === undefined) {
    if (mode !== "vector" && query !== undefined) return { terms };
    throw new MemoryError("unsupported", "this tier has no embedder", { feature: "similarity" });
  }
  if (embedding !== undefined) return { terms, vector: embedding };
  try {
    const vector = await embedQuery(tier, embedder, query!);
    return vector === null ? { terms } : { terms, vector };
  } catch (error) {
    const degraded = embedderError(error);
    if (mode === "vector") throw degraded;
    tier.logger.warn({ err: error, embedder: embedder.id }, "embedder failed; ranking by words alone");
    return { terms, degraded };
  }
}

/** A query waits for its embedder no longer than a store: words can answer it. */
async function embedQuery(tier: Tier, embedder: Embedder, query: string): Promise<Float32Array | null> {
  const answer = await within(tier.clock, tier.embedWaitMs, embedder.embed([query], "query"));
  if (answer === undefined) throw embedderError(undefined);
  return answer[0] ?? null;
}

function embedderError(cause: unknown): MemoryError {
  if (isMemoryError(cause) && cause.retryable) return cause;
  return new MemoryError("unavailable", "the embedder does not answer", {}, { cause });
}
