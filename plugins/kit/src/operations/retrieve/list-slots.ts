import type { LoadedPartition } from "../../lifecycle/index.js";
import type { FoundSlots } from "./page-search.js";
import type { ScanPlan } from "./retrieve-plan.js";
import { SlotOrder, TopSlots } from "./slot-order.js";

/** Slots that pass a filter: a byte for each slot of the partition, or the slot numbers if they are few. */
export type PassingSlots = Uint8Array | Uint32Array;

/** Returns the page without a query. Relevance is 1, so scores are the weights (clause RET-8). */
export function listSlots(
  loaded: LoadedPartition,
  plan: ScanPlan,
  passing: PassingSlots,
  weights: Float64Array,
): FoundSlots {
  const { isByScore, direction, scoreMin } = plan;
  const positions = new SlotOrder(loaded, plan, (slot) => weights[slot]!);
  const top = new TopSlots(plan.limit, positions.compare);
  const ranks = isByScore ? weights : loaded.partition.columns.numbers.occurredAt;
  /** Rank of the last slot of a full page. Slots after it are skipped. */
  let lastRank = direction * Number.POSITIVE_INFINITY;
  let total = 0;
  const areNumbers = passing instanceof Uint32Array;
  const count = passing.length;
  for (let index = 0; index < count; index++) {
    // Times mostly increase with slots. Scanning in the requested order fills the page first, so the
    // remaining slots are skipped quickly.
    const at = !isByScore && direction === -1 ? count - 1 - index : index;
    if (!areNumbers && passing[at] === 0) continue;
    const slot = areNumbers ? passing[at]! : at;
    if (weights[slot]! < scoreMin) continue;
    total++;
    if (direction * (ranks[slot]! - lastRank) > 0 || !positions.isAfterCursor(slot)) continue;
    top.offer(slot);
    if (top.last !== undefined) lastRank = ranks[top.last]!;
  }
  return { slots: top.sorted().map((slot) => ({ slot, score: weights[slot]! })), total };
}
