import type { PluginRetrieveRequest } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import { copyHit, type Hit } from "./entry.js";
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
): FoundHits {
  const { partition } = resident;
  const selection = { selected: partition.select(request.filter), weights: partition.columns.importances };
  const { slots, total } =
    query === undefined
      ? listSlots(resident, request, selection)
      : new PageSearch(resident, request, query, selection).run();
  return { hits: slots.map(({ slot, score }) => copyHit(resident, slot, score, request.include)), total };
}
