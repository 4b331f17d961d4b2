import { type MemoryError, parseScopeId } from "@membus/protocol";
import { holdingInPartition, holdingOfRow, type Resident } from "../../lifecycle/index.js";
import { Claims, type Holding, type TenantHoldings } from "../../quotas/index.js";
import type { StoreParts } from "../tier.js";
import type { Draft } from "./plan-store.js";
import type { PlannedEntry } from "./previous.js";

/** Reserves quota for a draft, or returns the error if the quota is exceeded. */
export function claimRoom(claims: Claims, resident: Resident, draft: Draft): MemoryError | undefined {
  const { keyHash, expiresAt } = draft;
  const texts = { facets: JSON.stringify(draft.facets), body: JSON.stringify(draft.body), expiresAt };
  const change = { scope: resident.id, former: currentHolding(resident, keyHash) };
  return claims.take(keyHash, { ...change, next: holdingOfRow(resident, texts) });
}

/** Returns the usage of the version that plans are based on. */
function currentHolding(resident: Resident, keyHash: string): Holding | undefined {
  const staged = resident.staged.get(keyHash);
  if (staged === undefined) return holdingInPartition(resident, keyHash);
  return staged.row === null ? undefined : holdingOfRow(resident, staged.row);
}

/**
 * Expires entries in other namespaces of the tenant if the quota is exceeded, because expired entries are
 * counted until they are removed.
 */
export async function expireForRoom(
  tier: StoreParts,
  resident: Resident,
  holdings: TenantHoldings,
  planned: readonly PlannedEntry[],
): Promise<void> {
  const expired = holdings.expired(tier.clock.now());
  if (expired.length === 0 || hasRoom(resident, holdings, planned)) return;
  for (const scope of expired) {
    await tier.registry.use(parseScopeId(scope), async (other) => {
      await tier.expiry.expireAhead(other);
      holdings.expireAfter(scope, nextExpiry(other));
    });
  }
}

function nextExpiry({ partition, staged }: Resident): number {
  let next = partition.nextExpiry;
  for (const { row } of staged.values())
    if (row !== null && row.expiresAt > 0) next = Math.min(next, row.expiresAt);
  return next;
}

function hasRoom(resident: Resident, holdings: TenantHoldings, planned: readonly PlannedEntry[]): boolean {
  const claims = new Claims(holdings);
  const isRefused = planned.some(({ plan }) => "draft" in plan && claimRoom(claims, resident, plan.draft));
  claims.releaseAll();
  return !isRefused;
}
