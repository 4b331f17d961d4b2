import type { Filter, Json } from "@membus/protocol";
import type { Partition } from "./partition.js";

/**
 * Returns the live slots of the keys that a filter names, in ascending order, without a scan of other slots.
 * Undefined if the filter has other conditions.
 */
export function namedSlots({ keys, columns }: Partition, filter: Filter): Uint32Array | undefined {
  const hashes = namedKeys(filter);
  if (hashes === undefined) return undefined;
  const slots = new Set<number>();
  for (const hash of hashes) {
    const slot = typeof hash === "string" ? keys.get(hash) : undefined;
    if (slot !== undefined && columns.alive[slot] === 1 && keys.hashOf(slot) === hash) slots.add(slot);
  }
  return Uint32Array.from(slots).sort();
}

function namedKeys(filter: Filter): readonly Json[] | undefined {
  if ("all" in filter) return filter.all.length === 1 ? namedKeys(filter.all[0]!) : undefined;
  const isOfKeys = "field" in filter && filter.field === "key_hash" && filter.op === "in";
  return isOfKeys ? (filter.value as Json[]) : undefined;
}
