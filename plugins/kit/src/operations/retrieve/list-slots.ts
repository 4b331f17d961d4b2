import type { PluginRetrieveRequest } from "@membus/protocol";
import type { Resident } from "../../lifecycle/index.js";

import type { FoundSlots } from "./page-search.js";
import { SlotOrder, TopSlots } from "./slot-order.js";

const NONE = new Uint8Array(0);

/** Slots that pass a filter: a byte for each slot of the partition, or, where they are few, their numbers. */
export type PassingSlots = { readonly selected: Uint8Array } | { readonly named: Uint32Array };

/** The page of a request without a query: relevance is 1, so scores are the weights (clause RET-8). */
export function listSlots(
  resident: Resident,
  request: PluginRetrieveRequest,
  passing: PassingSlots,
  weights: Float64Array,
): FoundSlots {
  const { order, min_score: scoreMin, after, limit } = request;
  const positions = new SlotOrder(resident, request, (slot) => weights[slot]!);
  const top = new TopSlots(limit, positions.compare);
  const ranks = order === "relevance" ? weights : resident.partition.columns.numbers.occurredAt;
  const direction = order === "oldest" ? 1 : -1;
  /** Of the last slot of a full page; what comes after it needs no closer look. */
  let lastRank = direction * Number.POSITIVE_INFINITY;
  let total = 0;
  const named = "named" in passing ? passing.named : undefined;
  const selected = "selected" in passing ? passing.selected : NONE;
  const count = named?.length ?? selected.length;
  for (let index = 0; index < count; index++) {
    // Times mostly grow with slots: what comes first in the order is met first, and the rest is soon told apart.
    const at = order === "newest" ? count - 1 - index : index;
    if (named === undefined && selected[at] === 0) continue;
    const slot = named === undefined ? at : named[at]!;
    if (weights[slot]! < scoreMin) continue;
    total++;
    if (direction * (ranks[slot]! - lastRank) > 0 || !positions.isBehind(slot, after)) continue;
    top.offer(slot);
    if (top.last !== undefined) lastRank = ranks[top.last]!;
  }
  return { slots: top.sorted().map((slot) => ({ slot, score: weights[slot]! })), total };
}
