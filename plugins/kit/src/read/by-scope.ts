import type { Scope } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import type { Tier } from "../tier.js";
import type { Hit } from "./entry.js";
import type { ScopedHit } from "./merge-hits.js";

/** Hits by their partition. */
export function byScope<Found extends ScopedHit>(hits: readonly Found[]): Map<Scope, Found[]> {
  const groups = new Map<Scope, Found[]>();
  for (const found of hits) {
    const group = groups.get(found.scope);
    if (group === undefined) groups.set(found.scope, [found]);
    else group.push(found);
  }
  return groups;
}

/** The bodies of hits, as JSON; those of rows that went away meanwhile are missing. */
export async function readBodies(
  tier: Tier,
  hits: readonly ScopedHit[],
): Promise<ReadonlyMap<number, string>> {
  const bodies = new Map<number, string>();
  for (const [scope, ofScope] of byScope(hits)) {
    const wanted = ofScope.map(({ hit }) => hit);
    const found = await tier.registry.use(scope, (resident) => readLiveBodies(tier, resident, wanted));
    for (const [rowId, body] of found) bodies.set(rowId, body);
  }
  return bodies;
}

/** The same of one partition. What went away before is not even read: storage may still hold it. */
export function readLiveBodies(
  tier: Tier,
  { id, partition }: Resident,
  hits: readonly Hit[],
): Promise<ReadonlyMap<number, string>> {
  const live = hits.filter(({ keyHash, rowId }) => partition.slotOfRow(keyHash, rowId) !== undefined);
  return tier.bodies.get(
    id,
    live.map(({ rowId }) => rowId),
  );
}
