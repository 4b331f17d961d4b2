import type { Retention } from "../retention.js";
import type { Removals } from "./removals.js";
import type { PartitionRegistry } from "./residency/partition-registry.js";

export interface EvictionParts {
  readonly registry: PartitionRegistry;
  readonly removals: Removals;
  /** Eviction policy of a tier in memory. */
  readonly retention: Retention | undefined;
}

/** Evicts entries of a tier in memory until its limits hold. */
export function evictOverflow({ registry, removals, retention }: EvictionParts): void {
  for (const { scope, keyHash } of retention?.overflow() ?? []) {
    const resident = registry.peek(scope);
    const slot = resident?.partition.slotOf(keyHash);
    if (resident === undefined || slot === undefined) continue;
    const rowId = resident.partition.columns.numbers.rowId[slot]!;
    removals.remove(resident, { keyHash, rowId }, { action: "evicted" });
    registry.dropEmpty(resident);
  }
}
