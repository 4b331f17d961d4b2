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
    const loaded = registry.peek(scope);
    const slot = loaded?.partition.slotOf(keyHash);
    if (loaded === undefined || slot === undefined) continue;
    const rowId = loaded.partition.columns.numbers.rowId[slot]!;
    removals.remove(loaded, { keyHash, rowId }, { action: "evicted" });
    registry.unloadEmpty(loaded);
  }
}
