import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import type { LoadedPartition } from "../../lifecycle/index.js";
import { hashesOf, namedSlots, type PreparedFilter } from "../../search/index.js";
import { copyHit, type Hit } from "./entry.js";
import { explainScores, type Ranking } from "./explain.js";
import { listSlots } from "./list-slots.js";
import { type FoundSlots, PageSearch } from "./page-search.js";
import type { PreparedQuery } from "./query.js";
import { recencyOf } from "./recency.js";

export interface FoundHits {
  /** In the total order, at most `limit`, all after the cursor `after`. */
  readonly hits: Hit[];
  /** Number of all matches, regardless of the limit. */
  readonly total: number;
  /** Number of entries that meet the criteria, regardless of their score. Counted only for `explain`. */
  readonly candidateCount: number;
}

/** Filters, ranks, counts and limits in one synchronous scan of a partition. */
export function findHits(
  loaded: LoadedPartition,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
  filter: PreparedFilter,
): FoundHits {
  const { slots, total, ranking, candidateCount } =
    query === undefined ? listPage(loaded, request, filter) : rankPage(loaded, request, query, filter);
  const explanations =
    request.explain &&
    explainScores(
      loaded,
      ranking,
      slots.map(({ slot }) => slot),
      request,
    );
  const vector = request.include.includes("embedding") || Boolean(request.diversity);
  const hits = slots.map(({ slot, score }, index) =>
    copyHit(loaded, slot, score, { vector, explanation: explanations?.[index] }),
  );
  return { hits, total, candidateCount: request.explain ? candidateCount() : 0 };
}

interface Page extends FoundSlots {
  /** Ranking data of the page. Absent without a query. */
  readonly ranking?: Ranking;
  candidateCount(): number;
}

function listPage(loaded: LoadedPartition, request: PluginRetrieveRequest, filter: PreparedFilter): Page {
  const { partition } = loaded;
  const weights = weightsOf(loaded, request);
  const named = namedSlots(partition, filter.filter);
  if (named !== undefined) {
    const found = listSlots(loaded, request, { named }, weights);
    return { ...found, candidateCount: () => named.length };
  }
  const selected = partition.select(filter);
  const found = listSlots(loaded, request, { selected }, weights);
  return { ...found, candidateCount: () => countMarked(selected) };
}

function rankPage(
  loaded: LoadedPartition,
  request: PluginRetrieveRequest,
  query: PreparedQuery,
  filter: PreparedFilter,
): Page {
  const selected = loaded.partition.select(filter);
  const ranking = rankingOf(loaded, request, query, selected);
  const selection = { selected, weights: weightsOf(loaded, request) };
  const found = new PageSearch(loaded, request, ranking, selection).run();
  return { ...found, ranking, candidateCount: () => countMarked(selected) };
}

function rankingOf(
  { partition }: LoadedPartition,
  { fields }: PluginRetrieveRequest,
  query: PreparedQuery,
  allowed: Uint8Array,
): Ranking {
  const { terms, vector, scale } = query;
  return {
    corpus: partition.corpus(hashesOf(terms)),
    query: { terms, allowed, ...(fields && { fields }), ...(vector && { vector }), ...(scale && { scale }) },
  };
}

/** Returns the factors of the relevance: importance times recency (clause RET-8). */
function weightsOf({ partition }: LoadedPartition, request: PluginRetrieveRequest): Float64Array {
  const { numbers, count } = partition.columns;
  const { importance, occurredAt } = numbers;
  if (request.recency === undefined) return importance;
  return importance.subarray(0, count).map((weight, slot) => weight * recencyOf(request, occurredAt[slot]!));
}

function countMarked(bitmap: Uint8Array): number {
  let count = 0;
  for (const mark of bitmap) count += mark;
  return count;
}
