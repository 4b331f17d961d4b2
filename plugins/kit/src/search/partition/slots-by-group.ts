import type { SlotColumns } from "./slot-columns.js";
import { SlotList } from "./slot-list.js";

/** Returns the live rows of each of these groups, as slots in ascending order. Dead rows have no group. */
export function slotsByGroup(
  { groups: groupOf, count }: SlotColumns,
  groups: ReadonlySet<string>,
): Map<string, Uint32Array> {
  const lists = new Map([...groups].map((group) => [group, new SlotList()]));
  for (let slot = 0; slot < count; slot++) {
    const group = groupOf[slot]!;
    if (group !== "") lists.get(group)?.push(slot);
  }
  return new Map([...lists].map(([group, { slots, size }]) => [group, slots.subarray(0, size)]));
}
