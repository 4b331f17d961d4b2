import type { PluginRetrieveRequest } from "@membus/protocol";
import { hashesOf } from "../analyzer/index.js";
import type { PreparedFilter } from "../partition/prepared-filter.js";
import type { Resident } from "../residency/resident.js";
import { copyHit, type Hit } from "./entry.js";
import { explainScores, type Ranking } from "./explain.js";
import { listSlots } from "./list-slots.js";
import { PageSearch } from "./page-search.js";
import type { PreparedQuery } from "./query.js";
import { recencyOf } from "./recency.js";

export interface FoundHits {
  /** In the total order, at most `limit`, all behind `after`. */
  readonly hits: Hit[];
  /** All that match, whatever the limit. */
  readonly total: number;
  /** All that meet the criteria, whatever their score; counted only where `explain` asks for it. */
  readonly candidateCount: number;
}

/** Filters, ranks, counts and cuts: one synchronous look at a partition. */
export function findHits(
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
  filter: PreparedFilter,
): FoundHits {
  const selected = resident.partition.select(filter);
  const ranking = rankingOf(resident, request, query, selected);
  const selection = { selected, weights: weightsOf(resident, request) };
  const { slots, total } =
    ranking === undefined
      ? listSlots(resident, request, selection)
      : new PageSearch(resident, request, ranking, selection).run();
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
  return { hits, total, candidateCount: request.explain ? countMarked(selected) : 0 };
}

function rankingOf(
  { partition }: Resident,
  { fields }: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
  allowed: Uint8Array,
): Ranking | undefined {
  if (query === undefined) return undefined;
  const { terms, vector, scale, embedder } = query;
  return {
    corpus: partition.corpus(hashesOf(terms), embedder),
    query: { terms, allowed, ...(fields && { fields }), ...(vector && { vector }), ...(scale && { scale }) },
  };
}

/** What relevance is multiplied by: importance times recency (clause RET-8). */
function weightsOf({ partition }: Resident, request: PluginRetrieveRequest): Float64Array {
  const { importances, occurredAt, count } = partition.columns;
  if (request.recency === undefined) return importances;
  return importances
    .subarray(0, count)
    .map((importance, slot) => importance * recencyOf(request, occurredAt[slot]!));
}

function countMarked(bitmap: Uint8Array): number {
  let count = 0;
  for (const mark of bitmap) count += mark;
  return count;
}
