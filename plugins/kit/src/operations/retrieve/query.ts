import { isMemoryError, MemoryError, withTimeout } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import {
  type CosineScale,
  cosineScale,
  type Partition,
  type QueryTerm,
  unitVector,
} from "../../search/index.js";
import type { RetrieveParts } from "../tier.js";
import type { QueryPlan } from "./retrieve-plan.js";

/** Ranking inputs. */
export interface PreparedQuery {
  readonly terms: readonly QueryTerm[];
  readonly vector?: Float32Array | undefined;
  /** Whether the caller provided the vector. */
  readonly isGiven?: boolean;
  /** Scale from cosines to closeness. */
  readonly scale?: CosineScale | undefined;
  /** Reason for a degraded ranking. */
  readonly degraded?: MemoryError | undefined;
}

type EmbeddedQuery = Pick<PreparedQuery, "vector" | "scale" | "degraded">;

/**
 * Analyses and embeds a query.
 * @throws {MemoryError} `unavailable` if the embedder fails and there are no words to rank by. `unsupported`
 * if the query requires vectors and the tier has no embedder.
 */
export async function prepareQuery(
  tier: RetrieveParts,
  { text, vector, caller }: QueryPlan,
): Promise<PreparedQuery> {
  const terms = text === undefined ? [] : tier.analyzer.analyzeQuery(text);
  if (vector === undefined) return { terms };
  const { embedder } = tier;
  if (embedder === undefined) {
    if (text !== undefined) return { terms };
    throw new MemoryError("unsupported", "this tier has no embedder", { feature: "similarity" });
  }
  const isGiven = typeof vector !== "string";
  const vectors = isGiven
    ? [unitVector(vector)]
    : embedder.embed([vector], "query", caller === undefined ? {} : { cacheScope: caller });
  const embedded = await embedQuery(tier, embedder, vectors);
  if (embedded.degraded && text === undefined) throw embedded.degraded;
  return { terms, ...embedded, isGiven };
}

/**
 * Returns the query for one partition. During re-embedding it uses only words, so that entries with an old
 * vector are not ranked lower. A vector from the caller always belongs to the current embedder.
 */
export function queryFor(partition: Partition, query: PreparedQuery): PreparedQuery {
  if (query.isGiven || !partition.isReembedding) return query;
  const { terms, vector, degraded } = query;
  const isByVector = vector !== undefined || degraded !== undefined;
  return isByVector ? { terms, degraded: reindexError() } : { terms };
}

function reindexError(): MemoryError {
  const message = "the entries are being re-embedded, until then they are ranked by words only";
  return new MemoryError("unavailable", message, { reason: "reindex" });
}

/**
 * Embeds the query, or waits for the scale of a vector from the caller. It waits at most as long as a store,
 * because words can answer the query.
 */
async function embedQuery(
  tier: RetrieveParts,
  embedder: Embedder,
  vectors: ReturnType<Embedder["embed"]> | Float32Array[],
): Promise<EmbeddedQuery> {
  const answers = Promise.all([vectors, embedder.unrelatedCosine?.()]);
  try {
    const answer = await tier.activeQueries.track(withTimeout(tier.clock, tier.embedWaitMs, answers));
    if (answer === undefined) throw embedderError(undefined);
    const [[vector], unrelatedCosine] = answer;
    return { vector: vector ?? undefined, scale: cosineScale(unrelatedCosine) };
  } catch (error) {
    tier.logger.warn({ err: error, embedder: embedder.id }, "embedder failed, ranking by words only");
    return { degraded: embedderError(error) };
  }
}

function embedderError(cause: unknown): MemoryError {
  if (isMemoryError(cause) && cause.retryable) return cause;
  return new MemoryError("unavailable", "the embedder does not respond", {}, { cause });
}
