import { type MemoryError, parseScopeId } from "@membus/protocol";
import { type LoadedPartition, rowUsage, usageInPartition } from "../../lifecycle/index.js";
import { type EntryUsage, type TenantUsage, UsageReservation } from "../../quotas/index.js";
import type { StoreParts } from "../tier.js";
import type { Draft } from "./plan-store.js";
import type { PlannedEntry } from "./previous.js";

/** Reserves quota for a draft, or returns the error if the quota is exceeded. */
export function reserveUsage(
  reservation: UsageReservation,
  loaded: LoadedPartition,
  draft: Draft,
): MemoryError | undefined {
  const { keyHash, group, expiresAt } = draft;
  const texts = { facets: JSON.stringify(draft.facets), group, body: JSON.stringify(draft.body), expiresAt };
  const change = { scope: loaded.id, former: currentUsage(loaded, keyHash) };
  return reservation.reserve(keyHash, { ...change, next: rowUsage(loaded, texts) });
}

/** Returns the usage of the version that plans are based on. */
function currentUsage(loaded: LoadedPartition, keyHash: string): EntryUsage | undefined {
  const staged = loaded.staged.get(keyHash);
  if (staged === undefined) return usageInPartition(loaded, keyHash);
  return staged.row === null ? undefined : rowUsage(loaded, staged.row);
}

/**
 * Expires entries in other namespaces of the tenant if the quota is exceeded, because expired entries are
 * counted until they are removed.
 */
export async function expireForQuota(
  tier: StoreParts,
  loaded: LoadedPartition,
  usage: TenantUsage,
  planned: readonly PlannedEntry[],
): Promise<void> {
  const expired = usage.expired(tier.clock.now());
  if (expired.length === 0 || fitsQuota(loaded, usage, planned)) return;
  for (const scope of expired) {
    await tier.registry.use(parseScopeId(scope), async (other) => {
      await tier.expiry.expireInSteps(other);
      usage.expireAfter(scope, nextExpiry(other));
    });
  }
}

function nextExpiry({ partition, staged }: LoadedPartition): number {
  let next = partition.nextExpiry;
  for (const { row } of staged.values())
    if (row !== null && row.expiresAt > 0) next = Math.min(next, row.expiresAt);
  return next;
}

function fitsQuota(loaded: LoadedPartition, usage: TenantUsage, planned: readonly PlannedEntry[]): boolean {
  const reservation = new UsageReservation(usage);
  const isRefused = planned.some(
    ({ plan }) => "draft" in plan && reserveUsage(reservation, loaded, plan.draft),
  );
  reservation.releaseAll();
  return !isRefused;
}
