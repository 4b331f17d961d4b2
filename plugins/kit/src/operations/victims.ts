import { type Filter, matches } from "@membus/protocol";
import type { Resident } from "../lifecycle/index.js";
import { isExpired } from "../row.js";
import { namedSlots, PreparedFilter, prepareLook } from "../search/index.js";
import { filterableEntry } from "./retrieve/entry.js";
import type { MutationParts } from "./tier.js";

/** A version that a forget removes. */
export interface Victim {
  readonly keyHash: string;
  readonly rowId: number;
  readonly revision: number;
}

/** Prepares a partition, in steps, for `findMatches`. */
export async function prepareFind(
  tier: MutationParts,
  resident: Resident,
  criteria: Filter,
): Promise<PreparedFilter> {
  const filter = new PreparedFilter(criteria);
  await tier.expiry.expireAhead(resident);
  await prepareLook(resident.partition, { words: false, filter });
  return filter;
}

/** Returns the current matches, including versions that are logged but not applied yet. */
export function findVictims(tier: MutationParts, resident: Resident, prepared: PreparedFilter): Victim[] {
  tier.expiry.expireNow(resident);
  const { partition, staged } = resident;
  const now = tier.clock.now();
  const victims: Victim[] = [];
  for (const [keyHash, { row }] of staged) {
    if (row === null || isExpired(row, now)) continue;
    const { rowId, revision } = row;
    if (matches(filterableEntry(row), prepared.filter)) victims.push({ keyHash, rowId, revision });
  }
  const { rowId, revision } = partition.columns.numbers;
  const take = (slot: number) => {
    const keyHash = partition.keys.hashOf(slot);
    if (!staged.has(keyHash)) victims.push({ keyHash, rowId: rowId[slot]!, revision: revision[slot]! });
  };
  const named = namedSlots(partition, prepared.filter);
  if (named !== undefined) {
    for (const slot of named) take(slot);
    return victims;
  }
  const selected = partition.select(prepared);
  for (let slot = 0; slot < selected.length; slot++) if (selected[slot] === 1) take(slot);
  return victims;
}

/** Removes a version after its record is durable. Without `agent` the removal is attributed to the author. */
export function removeVictim(
  tier: MutationParts,
  resident: Resident,
  victim: Victim,
  { seq, agent }: { readonly seq: number; readonly agent?: string },
): void {
  resident.holdsForgotten = true;
  tier.removals.remove(resident, victim, { action: "forgotten", ...(agent !== undefined && { agent }) });
  tier.bodies.drop(victim.rowId);
  resident.unstage(victim.keyHash, seq);
}
