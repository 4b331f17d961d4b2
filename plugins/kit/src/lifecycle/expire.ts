import type { Resident } from "./residency/resident.js";
import { Stretch } from "../stretch.js";
import { reportRemoved, type Tier } from "../tier.js";

/** Rows that expire at a step: a few milliseconds. */
const ROWS_A_STEP = 1_000;

/** Takes what has expired out of the partition, so that nothing counts or returns it any more. */
export function expireNow(tier: Tier, resident: Resident): void {
  expireSome(tier, resident, Number.POSITIVE_INFINITY);
}

/** Before a look at a partition: where much has expired, it goes in steps, so that `expireNow` has little left to do. */
export async function expireAhead(tier: Tier, resident: Resident): Promise<void> {
  if (resident.expiring === undefined) {
    if (expireSome(tier, resident, ROWS_A_STEP)) return;
    resident.expiring = expireRest(tier, resident).finally(() => {
      resident.expiring = undefined;
    });
  }
  await resident.expiring;
}

async function expireRest(tier: Tier, resident: Resident): Promise<void> {
  const stretch = new Stretch();
  do await stretch.rest();
  while (tier.registry.peek(resident.id) === resident && !expireSome(tier, resident, ROWS_A_STEP));
}

/** Tells whether that was all. */
function expireSome(tier: Tier, resident: Resident, rowsMax: number): boolean {
  const expired = resident.partition.expire(tier.clock.now(), rowsMax);
  if (expired.length === 0) return true;
  if (tier.durable) {
    const rowIds = tier.expired.get(resident.id) ?? [];
    for (const { rowId } of expired) rowIds.push(rowId);
    tier.expired.set(resident.id, rowIds);
  }
  for (const removed of expired) reportRemoved(tier, resident, removed, { action: "expired" });
  return expired.length < rowsMax;
}
