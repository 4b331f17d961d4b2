import { type Filter, LIMITS, type QueryField } from "@membus/protocol";
import { comparePositions, type PluginRetrieveRequest, type Position } from "@membus/protocol/plugin";

/** Number of candidates for diversity: five per place, up to this maximum. */
const DIVERSITY_CANDIDATES_MAX = 200;
const DIVERSITY_CANDIDATES_PER_PLACE = 5;

/** Steps of a retrieve. */
export interface RetrievePlan {
  /** Absent if the relevance of every entry is 1. */
  readonly query: QueryPlan | undefined;
  readonly scan: ScanPlan;
  /** Maximum number of entries on the page. */
  readonly limit: number;
  readonly diversity: number | undefined;
  /** Query for the reranker. Absent without reranking. */
  readonly rerankQuery: string | undefined;
  readonly entries: EntryPlan;
}

export interface QueryPlan {
  /** Text to rank by words. */
  readonly text: string | undefined;
  /** Vector of the caller, or the text to embed. */
  readonly vector: Float32Array | string | undefined;
  readonly caller: string | undefined;
}

/** Scan of a partition for its best hits, in the total order (clause RET-5). */
export interface ScanPlan {
  readonly filter: Filter;
  /** Fields to search for the words of the query. Absent: all fields. */
  readonly fields: readonly QueryField[] | undefined;
  /** Lowest score of a match. Above 0 with a query. */
  readonly scoreMin: number;
  /** Maximum number of hits. Above the limit of the page if the page is chosen from candidates. */
  readonly limit: number;
  /** Position of the last entry of the previous page. */
  readonly after: Position | undefined;
  /** Whether entries are ranked by score instead of time. */
  readonly isByScore: boolean;
  /** 1 if the lowest rank is first, otherwise -1. */
  readonly direction: 1 | -1;
  comparePositions(a: Position, b: Position): number;
  /** Returns the score factor for the age of an entry, 0 to 1. Absent: 1 (clause RET-24). */
  readonly recencyOf: ((occurredAt: number) => number) | undefined;
  readonly explain: true | undefined;
  /** Compares all entries, whatever an index says. */
  readonly exact: boolean;
  /** Whether the returned entries contain their vectors. */
  readonly returnsVectors: boolean;
  /** Whether hits contain vectors, to return or to compare them. */
  readonly copiesVectors: boolean;
}

/** Contents of the returned entries. */
export interface EntryPlan {
  readonly hasVector: boolean;
  readonly hasContext: boolean;
  readonly hasSnippet: boolean;
  /** Query to find the best passage of each entry for. "" without a query. Absent if no passage is returned. */
  readonly passageQuery: string | undefined;
  /** Number of neighbours of each entry. */
  readonly expand: PluginRetrieveRequest["expand"];
  readonly bytesMax: number;
}

/** Derives the steps of a retrieve from its request. */
export function planRetrieve(request: PluginRetrieveRequest): RetrievePlan {
  const { query, embedding, mode, caller, order, limit, include, min_score: scoreMin } = request;
  const isRanked = query !== undefined || embedding !== undefined;
  const text = mode === "vector" ? undefined : query;
  const vector = mode === "text" ? undefined : (embedding ?? query);
  const diversity = request.diversity || undefined;
  const hasVector = include.includes("embedding");
  const hasSnippet = include.includes("snippet");
  return {
    query: isRanked ? { text, vector, caller } : undefined,
    scan: {
      filter: request.filter,
      fields: request.fields,
      scoreMin: isRanked ? Math.max(scoreMin, Number.MIN_VALUE) : scoreMin,
      limit: candidateCount(request),
      after: request.after,
      isByScore: order === "relevance",
      direction: order === "oldest" ? 1 : -1,
      comparePositions: (a, b) => comparePositions(a, b, order),
      recencyOf: recencyFactor(request),
      explain: request.explain,
      exact: request.exact === true,
      returnsVectors: hasVector,
      copiesVectors: hasVector || diversity !== undefined,
    },
    limit,
    diversity,
    rerankQuery: request.rerank && query,
    entries: {
      hasVector,
      hasContext: include.includes("context"),
      hasSnippet,
      passageQuery: hasSnippet || request.explain ? (query ?? "") : undefined,
      expand: request.expand,
      bytesMax: request.max_bytes,
    },
  };
}

/** Returns how many of the best entries a page is chosen from. Equals `limit` if they are the page. */
function candidateCount({ limit, diversity, rerank }: PluginRetrieveRequest): number {
  if (limit === 0) return 0;
  const forDiversity = diversity
    ? Math.min(DIVERSITY_CANDIDATES_MAX, DIVERSITY_CANDIDATES_PER_PLACE * limit)
    : 0;
  return Math.max(limit, forDiversity, rerank ? LIMITS.rerankEntries : 0);
}

function recencyFactor({ recency, as_of: now }: PluginRetrieveRequest): ScanPlan["recencyOf"] {
  if (recency === undefined) return undefined;
  const { weight, half_life_s: halfLifeS } = recency;
  return (occurredAt) => 1 - weight + weight * 0.5 ** (Math.max(0, now - occurredAt) / halfLifeS);
}
