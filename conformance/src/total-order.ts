import { comparePositions, type MemoryEntry, type Order, positionOf } from "@membus/protocol";

/** The same entries in the total order of clause RET-5, by what they say of themselves. */
export function inTotalOrder(entries: readonly MemoryEntry[], order: Order): MemoryEntry[] {
  return [...entries].sort((a, b) => comparePositions(positionOf(a, order), positionOf(b, order), order));
}
