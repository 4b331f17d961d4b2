import type { PluginRetrieveRequest } from "@membus/protocol";
import type { Resident } from "../../lifecycle/index.js";
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
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
  filter: PreparedFilter,
): FoundHits {
  const { slots, total, ranking, candidateCount } =
    query === undefined ? listPage(resident, request, filter) : rankPage(resident, request, query, filter);
  const explanations =
    request.explain &&
    explainScores(
      resident,
      ranking,
      slots.map(({ slot }) => slot),
      request,
    );
  const vector = request.include.includes("embedding") || Boolean(request.diversity);
  const hits = slots.map(({ slot, score }, index) =>
    copyHit(resident, slot, score, { vector, explanation: explanations?.[index] }),
  );
  return { hits, total, candidateCount: request.explain ? candidateCount() : 0 };
}

interface Page extends FoundSlots {
  /** Ranking data of the page. Absent without a query. */
  readonly ranking?: Ranking;
  candidateCount(): number;
}

function listPage(resident: Resident, request: PluginRetrieveRequest, filter: PreparedFilter): Page {
  const { partition } = resident;
  const weights = weightsOf(resident, request);
  const named = namedSlots(partition, filter.filter);
  if (named !== undefined) {
    const found = listSlots(resident, request, { named }, weights);
    return { ...found, candidateCount: () => named.length };
  }
  const selected = partition.select(filter);
  const found = listSlots(resident, request, { selected }, weights);
  return { ...found, candidateCount: () => countMarked(selected) };
}

function rankPage(
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery,
  filter: PreparedFilter,
): Page {
  const selected = resident.partition.select(filter);
  const ranking = rankingOf(resident, request, query, selected);
  const selection = { selected, weights: weightsOf(resident, request) };
  const found = new PageSearch(resident, request, ranking, selection).run();
  return { ...found, ranking, candidateCount: () => countMarked(selected) };
}

function rankingOf(
  { partition }: Resident,
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
function weightsOf({ partition }: Resident, request: PluginRetrieveRequest): Float64Array {
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
