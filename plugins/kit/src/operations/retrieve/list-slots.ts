import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import type { LoadedPartition } from "../../lifecycle/index.js";

import type { FoundSlots } from "./page-search.js";
import { SlotOrder, TopSlots } from "./slot-order.js";

const NONE = new Uint8Array(0);

/** Slots that pass a filter: a byte for each slot of the partition, or the slot numbers if they are few. */
export type PassingSlots = { readonly selected: Uint8Array } | { readonly named: Uint32Array };

/**
 * Returns the page of a request without a query. Relevance is 1, so scores are the weights (clause RET-8).
 */
export function listSlots(
  loaded: LoadedPartition,
  request: PluginRetrieveRequest,
  passing: PassingSlots,
  weights: Float64Array,
): FoundSlots {
  const { order, min_score: scoreMin, after, limit } = request;
  const positions = new SlotOrder(loaded, request, (slot) => weights[slot]!);
  const top = new TopSlots(limit, positions.compare);
  const ranks = order === "relevance" ? weights : loaded.partition.columns.numbers.occurredAt;
  const direction = order === "oldest" ? 1 : -1;
  /** Rank of the last slot of a full page. Slots after it are skipped. */
  let lastRank = direction * Number.POSITIVE_INFINITY;
  let total = 0;
  const named = "named" in passing ? passing.named : undefined;
  const selected = "selected" in passing ? passing.selected : NONE;
  const count = named?.length ?? selected.length;
  for (let index = 0; index < count; index++) {
    // Times mostly increase with slots. Scanning in the requested order fills the page first, so the
    // remaining slots are skipped quickly.
    const at = order === "newest" ? count - 1 - index : index;
    if (named === undefined && selected[at] === 0) continue;
    const slot = named === undefined ? at : named[at]!;
    if (weights[slot]! < scoreMin) continue;
    total++;
    if (direction * (ranks[slot]! - lastRank) > 0 || !positions.isAfter(slot, after)) continue;
    top.offer(slot);
    if (top.last !== undefined) lastRank = ranks[top.last]!;
  }
  return { slots: top.sorted().map((slot) => ({ slot, score: weights[slot]! })), total };
}
