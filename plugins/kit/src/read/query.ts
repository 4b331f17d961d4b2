import { isMemoryError, MemoryError, type PluginRetrieveRequest } from "@membus/protocol";
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
 * @throws {MemoryError} `unavailable` in mode vector when the embedder does not answer.
 */
export async function prepareQuery(
  tier: Tier,
  request: PluginRetrieveRequest,
): Promise<PreparedQuery | undefined> {
  const { query, embedding, mode } = request;
  if (query === undefined && embedding === undefined) return undefined;
  const terms = mode === "vector" || query === undefined ? [] : tier.analyzer.analyzeQuery(query);
  if (embedding !== undefined) return { terms, vector: embedding };
  const { embedder } = tier.services;
  if (mode === "text" || embedder === undefined) return { terms };
  try {
    const [vector] = await embedder.embed([query!], "query");
    return vector == null ? { terms } : { terms, vector };
  } catch (error) {
    const degraded = embedderError(error);
    if (mode === "vector") throw degraded;
    tier.logger.warn({ err: error, embedder: embedder.id }, "embedder failed; ranking by words alone");
    return { terms, degraded };
  }
}

function embedderError(cause: unknown): MemoryError {
  if (isMemoryError(cause) && cause.retryable) return cause;
  return new MemoryError("unavailable", "the embedder does not answer", {}, { cause });
}
