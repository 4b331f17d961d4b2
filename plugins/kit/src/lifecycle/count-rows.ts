import { type Holding, type Holdings, holdingOf } from "../quotas/index.js";
import type { Row } from "../row.js";
import type { RemovedRow } from "../search/index.js";
import type { Resident } from "./residency/resident.js";

/** Returns the usage of a key's version in its partition. */
export function holdingInPartition({ scope, partition }: Resident, keyHash: string): Holding | undefined {
  const slot = partition.slotOf(keyHash);
  if (slot === undefined) return undefined;
  const { facets, bodyBytes, numbers } = partition.columns;
  const [size, expiresAt] = [bodyBytes[slot]!, numbers.expiresAt[slot]!];
  return holdingOf(scope, { facets: facets.at(slot), bodyBytes: size, expiresAt });
}

export function holdingOfRow({ scope }: Resident, row: Pick<Row, "facets" | "body" | "expiresAt">): Holding {
  return holdingOf(scope, { ...row, bodyBytes: Buffer.byteLength(row.body) });
}

/** Counts a row that is about to replace the current version in its partition. */
export function countAdded(holdings: Holdings | undefined, resident: Resident, row: Row): void {
  holdings?.changed(resident.scope.tenant, () => ({
    scope: resident.id,
    former: holdingInPartition(resident, row.keyHash),
    next: holdingOfRow(resident, row),
  }));
}

/** Counts a row that was removed from its partition. */
export function countRemoved(holdings: Holdings | undefined, resident: Resident, removed: RemovedRow): void {
  holdings?.changed(resident.scope.tenant, () => ({
    scope: resident.id,
    former: holdingOf(resident.scope, removed),
  }));
}
