import { type EntryUsage, entryUsage, type UsageTracker } from "../quotas/index.js";
import type { Row } from "../row.js";
import type { RemovedRow } from "../search/index.js";
import type { LoadedPartition } from "./residency/loaded-partition.js";

/** Returns the usage of a key's version in its partition. */
export function usageInPartition(
  { scope, partition }: LoadedPartition,
  keyHash: string,
): EntryUsage | undefined {
  const slot = partition.slotOf(keyHash);
  if (slot === undefined) return undefined;
  const { facets, groups, bodyBytes, numbers } = partition.columns;
  const [size, expiresAt] = [bodyBytes[slot]!, numbers.expiresAt[slot]!];
  return entryUsage(scope, { facets: facets.at(slot), group: groups[slot]!, bodyBytes: size, expiresAt });
}

export function rowUsage(
  { scope }: LoadedPartition,
  row: Pick<Row, "facets" | "group" | "body" | "expiresAt">,
): EntryUsage {
  return entryUsage(scope, { ...row, bodyBytes: Buffer.byteLength(row.body) });
}

/** Counts a row that is about to replace the current version in its partition. */
export function countAdded(usageTracker: UsageTracker | undefined, loaded: LoadedPartition, row: Row): void {
  usageTracker?.changed(loaded.scope.tenant, () => ({
    scope: loaded.id,
    former: usageInPartition(loaded, row.keyHash),
    next: rowUsage(loaded, row),
  }));
}

/** Counts a row that was removed from its partition. */
export function countRemoved(
  usageTracker: UsageTracker | undefined,
  loaded: LoadedPartition,
  removed: RemovedRow,
): void {
  usageTracker?.changed(loaded.scope.tenant, () => ({
    scope: loaded.id,
    former: entryUsage(loaded.scope, removed),
  }));
}
