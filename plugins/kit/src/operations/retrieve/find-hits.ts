import { importanceFactor } from "@membus/protocol";
import type { LoadedPartition } from "../../lifecycle/index.js";
import { hashesOf, namedSlots, type PreparedFilter } from "../../search/index.js";
import { copyHit, type Hit } from "./entry.js";
import { explainScores, type Ranking } from "./explain.js";
import { listSlots, type PassingSlots } from "./list-slots.js";
import { PageSearch } from "./page-search.js";
import type { PreparedQuery } from "./query.js";
import type { ScanPlan } from "./retrieve-plan.js";
import type { ComparedSlots } from "./stored-comparison.js";

export interface FoundHits {
  /** In the total order, at most `limit`, all after the cursor `after`. Without their vectors. */
  readonly hits: Hit[];
  /** Number of all matches, regardless of the limit. */
  readonly total: number;
  /** Number of entries that meet the criteria, regardless of their score. Counted only for `explain`. */
  readonly candidateCount: number;
}

/**
 * Filters, ranks, counts and limits in one synchronous scan of a partition.
 * @param compared slots that were compared with the query, if the vectors are not in RAM.
 */
export function findHits(
  loaded: LoadedPartition,
  plan: ScanPlan,
  query: PreparedQuery | undefined,
  filter: PreparedFilter,
  compared?: ComparedSlots,
): FoundHits {
  const { partition } = loaded;
  const weights = weightsOf(loaded, plan, query !== undefined);
  const named = query === undefined ? namedSlots(partition, filter.filter) : undefined;
  const allowed = named === undefined ? partition.select(filter) : undefined;
  const passing = named ?? allowed!;
  const ranking = query && rankingOf(loaded, plan, query, compared ?? { allowed: allowed! });
  const { slots, total } = ranking
    ? new PageSearch(loaded, plan, ranking, weights).run()
    : listSlots(loaded, plan, passing, weights);
  const explanations = plan.explain && explainScores(loaded, ranking, slots, plan.recencyOf);
  const hits = slots.map(({ slot, score }, index) => copyHit(loaded, slot, score, explanations?.[index]));
  return { hits, total, candidateCount: plan.explain ? countPassing(passing) : 0 };
}

function rankingOf(
  { partition }: LoadedPartition,
  { fields }: ScanPlan,
  query: PreparedQuery,
  { allowed, similarities }: Pick<ComparedSlots, "allowed"> & Partial<ComparedSlots>,
): Ranking {
  const { terms, vector, scale } = query;
  return {
    corpus: partition.corpus(hashesOf(terms), similarities),
    query: { terms, allowed, ...(fields && { fields }), ...(vector && { vector }), ...(scale && { scale }) },
  };
}

/** Returns the factors of the relevance, for importance and recency (clause RET-8). */
function weightsOf({ partition }: LoadedPartition, { recencyOf }: ScanPlan, hasQuery: boolean): Float64Array {
  const { numbers, count } = partition.columns;
  const { importance, occurredAt } = numbers;
  if (!hasQuery && recencyOf === undefined) return importance;
  // A loop, because `map` of a typed array takes four times as long.
  const factors = new Float64Array(count);
  for (let slot = 0; slot < count; slot++) {
    const factor = hasQuery ? importanceFactor(importance[slot]!) : importance[slot]!;
    factors[slot] = recencyOf === undefined ? factor : factor * recencyOf(occurredAt[slot]!);
  }
  return factors;
}

function countPassing(passing: PassingSlots): number {
  if (passing instanceof Uint32Array) return passing.length;
  let count = 0;
  for (const mark of passing) count += mark;
  return count;
}
