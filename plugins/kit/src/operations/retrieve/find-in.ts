import { MemoryError } from "@membus/protocol";
import { embedPending, indexFewRows, type LoadedPartition, vectorsOfRows } from "../../lifecycle/index.js";
import { PreparedFilter, prepareScan } from "../../search/index.js";
import type { RetrieveParts } from "../tier.js";
import type { Hit } from "./entry.js";
import { type FoundHits, findHits } from "./find-hits.js";
import { type PreparedQuery, queryFor } from "./query.js";
import type { ScanPlan } from "./retrieve-plan.js";
import type { ScopedHit } from "./scoped-hits.js";
import {
  type ComparedSlots,
  type Comparison,
  comparedSlots,
  compareMissing,
  compareStored,
} from "./stored-comparison.js";

/** Attempts to compare entries that are stored during the comparison of the others. */
const ATTEMPTS = 8;
const RETRY_AFTER_MS = 500;

export interface Found extends Omit<FoundHits, "hits"> {
  readonly hits: readonly ScopedHit[];
  /** Number of entries that have no vector yet. */
  readonly pendingCount: number;
  /** Reason for a degraded ranking of some entries. */
  readonly degraded: MemoryError | undefined;
  /** Embedder of the compared vectors in the first partition. Undefined without vectors. */
  readonly generation: string | undefined;
  /** Whether an index chose the entries, so that some may be missing. */
  readonly isApproximate: boolean;
}

/**
 * Finds hits in a partition. Slow preparation is done in steps before the synchronous scan.
 * @throws {MemoryError} `unavailable` for an exact search of vectors on disk while ever more entries are stored.
 */
export async function findIn(
  tier: RetrieveParts,
  loaded: LoadedPartition,
  plan: ScanPlan,
  query: PreparedQuery | undefined,
): Promise<Found> {
  const { partition } = loaded;
  const filter = new PreparedFilter(plan.filter);
  if (needsVectors(plan, query) && !tier.durable) await embedPending(tier, loaded);
  let comparison: Comparison | undefined;
  for (let attempt = 1; ; attempt++) {
    await tier.expiry.expireInSteps(loaded);
    await prepareScan(partition, { words: query !== undefined, filter });
    if (query !== undefined) indexFewRows(partition);
    tier.expiry.expireNow(loaded);
    const partitionQuery = query && queryFor(partition, query);
    const vector = partition.vectors?.isResident === false ? partitionQuery?.vector : undefined;
    if (vector === undefined) return findPrepared(tier, loaded, { plan, query: partitionQuery, filter });
    const compared = { plan, query: { ...partitionQuery!, vector }, allowed: partition.select(filter) };
    if (comparison === undefined) {
      comparison = await compareStored(tier.vectors!, loaded, compared);
      continue;
    }
    const slots = comparedSlots(partition, comparison, compared.allowed);
    const isWhole = slots.missing.length === 0;
    if (isWhole || attempt > ATTEMPTS) {
      if (!isWhole && plan.exact) throw changesTooFast();
      const isApproximate = !isWhole || comparison.chosen !== undefined;
      return findPrepared(tier, loaded, { plan, query: partitionQuery, filter, slots, isApproximate });
    }
    await compareMissing(tier.vectors!, loaded, comparison, { missing: slots.missing, vector });
  }
}

function changesTooFast(): MemoryError {
  const message = "the namespace changes too fast for an exact search, retry later or search without `exact`";
  return new MemoryError("unavailable", message, { reason: "changing", retry_after_ms: RETRY_AFTER_MS });
}

interface PreparedScan {
  readonly plan: ScanPlan;
  readonly query: PreparedQuery | undefined;
  readonly filter: PreparedFilter;
  readonly slots?: ComparedSlots;
  readonly isApproximate?: boolean;
}

async function findPrepared(
  tier: RetrieveParts,
  loaded: LoadedPartition,
  { plan, query, filter, slots, isApproximate = false }: PreparedScan,
): Promise<Found> {
  const { partition, scope } = loaded;
  const pendingCount = needsVectors(plan, query) ? partition.pendingCount : 0;
  const generation = query?.vector === undefined ? undefined : partition.vectors?.embedder;
  const { hits, ...counts } = findHits(loaded, plan, query, filter, slots);
  const copied = plan.copiesVectors ? await withVectors(tier, loaded, hits) : hits;
  const scoped = copied.map((hit) => ({ scope, hit }));
  return { ...counts, hits: scoped, pendingCount, degraded: query?.degraded, generation, isApproximate };
}

async function withVectors(
  { vectors }: RetrieveParts,
  loaded: LoadedPartition,
  hits: readonly Hit[],
): Promise<readonly Hit[]> {
  const found = await vectorsOfRows(vectors, loaded, hits);
  return hits.map((hit) => ({ ...hit, vector: found.get(hit.rowId) }));
}

function needsVectors({ returnsVectors }: ScanPlan, query: PreparedQuery | undefined): boolean {
  return returnsVectors || query?.vector !== undefined;
}
