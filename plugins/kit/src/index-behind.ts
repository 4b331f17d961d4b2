import { type Scope, scopeId } from "@membus/protocol";
import type { Partition } from "./partition/partition.js";
import type { Resident } from "./residency/resident.js";
import type { Tier } from "./tier.js";

/** Rows indexed at a stretch: a few milliseconds. */
const STRETCH = 1_024;

/** Indexes the words of the latest rows where they are few; a query would take longer to look through them. */
export function indexFew(partition: Partition): void {
  if (partition.unindexedCount <= STRETCH) partition.indexSome(STRETCH);
}

/**
 * Indexes the words of partitions that were asked, and encodes their vectors, behind the queries, which look through
 * the rows as long as that takes.
 */
export function indexBehind(tier: Tier, scopes: readonly Scope[]): void {
  for (const scope of scopes) {
    const resident = tier.registry.peek(scopeId(scope));
    if (resident !== undefined && !resident.isBeingIndexed) indexOne(tier, resident);
  }
}

function indexOne(tier: Tier, resident: Resident): void {
  resident.isBeingIndexed = true;
  const step = (): void => {
    const isInRam = tier.registry.peek(resident.id) === resident;
    resident.isBeingIndexed = isInRam && !resident.partition.indexSome(STRETCH);
    if (resident.isBeingIndexed) setImmediate(step).unref();
  };
  setImmediate(step).unref();
}
