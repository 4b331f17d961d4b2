import { type MemoryError, parseScopeId } from "@membus/protocol";
import { holdingInPartition, holdingOfRow, type Resident } from "../../lifecycle/index.js";
import { Claims, type Holding, type TenantHoldings } from "../../quotas/index.js";
import type { StoreParts } from "../tier.js";
import type { Draft } from "./plan-store.js";
import type { PlannedEntry } from "./previous.js";

/** Takes the room that a draft needs, or tells why there is none. */
export function claimRoom(claims: Claims, resident: Resident, draft: Draft): MemoryError | undefined {
  const { keyHash, expiresAt } = draft;
  const texts = { facets: JSON.stringify(draft.facets), body: JSON.stringify(draft.body), expiresAt };
  const change = { scope: resident.id, former: currentHolding(resident, keyHash) };
  return claims.take(keyHash, { ...change, next: holdingOfRow(resident, texts) });
}

/** Of the version that plans see. */
function currentHolding(resident: Resident, keyHash: string): Holding | undefined {
  const staged = resident.staged.get(keyHash);
  if (staged === undefined) return holdingInPartition(resident, keyHash);
  return staged.row === null ? undefined : holdingOfRow(resident, staged.row);
}

/** Before a store is refused: what has expired in other namespaces of the tenant is still counted until somebody looks at it. */
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
