import type { PluginRetrieveRequest } from "@membus/protocol";
import { TopSlots } from "../partition/top-slots.js";
import type { Resident } from "../residency/resident.js";
import type { FoundSlots, SlotSelection } from "./page-search.js";
import { SlotOrder } from "./slot-order.js";

/** The page of a request without a query: relevance is 1, so scores are the weights (clause RET-8). */
export function listSlots(
  resident: Resident,
  request: PluginRetrieveRequest,
  { selected, weights }: SlotSelection,
): FoundSlots {
  const { order, min_score: scoreMin, after, limit } = request;
  const positions = new SlotOrder(resident, request, (slot) => weights[slot]!);
  const top = new TopSlots(limit, positions.compare);
  const ranks = order === "relevance" ? weights : resident.partition.columns.occurredAt;
  const direction = order === "oldest" ? 1 : -1;
  /** Of the last slot of a full page; what comes after it needs no closer look. */
  let lastRank = direction * Number.POSITIVE_INFINITY;
  let total = 0;
  for (let index = 0; index < selected.length; index++) {
    // Times mostly grow with slots: what comes first in the order is met first, and the rest is soon told apart.
    const slot = order === "newest" ? selected.length - 1 - index : index;
    if (selected[slot] === 0 || weights[slot]! < scoreMin) continue;
    total++;
    if (direction * (ranks[slot]! - lastRank) > 0 || !positions.isBehind(slot, after)) continue;
    top.offer(slot);
    if (top.last !== undefined) lastRank = ranks[top.last]!;
  }
  return { slots: top.sorted().map((slot) => ({ slot, score: weights[slot]! })), total };
}
