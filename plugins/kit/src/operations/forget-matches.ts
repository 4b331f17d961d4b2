import { type Filter, matches } from "@membus/protocol";
import type { LoadedPartition } from "../lifecycle/index.js";
import { isExpired } from "../row.js";
import { namedSlots, PreparedFilter, prepareScan } from "../search/index.js";
import { filterableEntry } from "./retrieve/entry.js";
import type { MutationParts } from "./tier.js";

/** A version that a forget removes. */
export interface ForgetMatch {
  readonly keyHash: string;
  readonly rowId: number;
  readonly revision: number;
}

/** Prepares a partition, in steps, for `findMatches`. */
export async function prepareFind(
  tier: MutationParts,
  loaded: LoadedPartition,
  criteria: Filter,
): Promise<PreparedFilter> {
  const filter = new PreparedFilter(criteria);
  await tier.expiry.expireInSteps(loaded);
  await prepareScan(loaded.partition, { words: false, filter });
  return filter;
}

/** Returns the current matches, including versions that are logged but not applied yet. */
export function findMatches(
  tier: MutationParts,
  loaded: LoadedPartition,
  prepared: PreparedFilter,
): ForgetMatch[] {
  tier.expiry.expireNow(loaded);
  const { partition, staged } = loaded;
  const now = tier.clock.now();
  const found: ForgetMatch[] = [];
  for (const [keyHash, { row }] of staged) {
    if (row === null || isExpired(row, now)) continue;
    const { rowId, revision } = row;
    if (matches(filterableEntry(row), prepared.filter)) found.push({ keyHash, rowId, revision });
  }
  const { rowId, revision } = partition.columns.numbers;
  const take = (slot: number) => {
    const keyHash = partition.keys.hashOf(slot);
    if (!staged.has(keyHash)) found.push({ keyHash, rowId: rowId[slot]!, revision: revision[slot]! });
  };
  const named = namedSlots(partition, prepared.filter);
  if (named !== undefined) {
    for (const slot of named) take(slot);
    return found;
  }
  const selected = partition.select(prepared);
  for (let slot = 0; slot < selected.length; slot++) if (selected[slot] === 1) take(slot);
  return found;
}

/** Removes a version after its record is durable. Without `agent` the removal is attributed to the author. */
export function removeMatch(
  tier: MutationParts,
  loaded: LoadedPartition,
  match: ForgetMatch,
  { seq, agent }: { readonly seq: number; readonly agent?: string },
): void {
  loaded.hasForgottenRows = true;
  tier.removals.remove(loaded, match, { action: "forgotten", ...(agent !== undefined && { agent }) });
  tier.bodies.drop(match.rowId);
  loaded.unstage(match.keyHash, seq);
}
