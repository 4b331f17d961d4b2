import type { Resident } from "./residency/resident.js";
import type { Tier } from "./tier.js";

/** Rows indexed at a stretch: a few milliseconds. */
const STRETCH = 1_024;

/**
 * Indexes the words of a partition that is asked for, and encodes its vectors: at once where little is left, else
 * behind the queries, which look through the rows as long as that takes.
 */
export function indexBehind(tier: Tier, resident: Resident): void {
  if (resident.isBeingIndexed || resident.partition.indexSome(STRETCH)) return;
  resident.isBeingIndexed = true;
  const step = (): void => {
    const isInRam = tier.registry.peek(resident.id) === resident;
    resident.isBeingIndexed = isInRam && !resident.partition.indexSome(STRETCH);
    if (resident.isBeingIndexed) setImmediate(step).unref();
  };
  setImmediate(step).unref();
}
