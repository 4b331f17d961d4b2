import type { Scope } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import type { Tier } from "../tier.js";
import type { Hit } from "./entry.js";
import type { ScopedHit } from "./merge-hits.js";

/** The hits of each partition. */
export function byScope(hits: readonly ScopedHit[]): Map<Scope, Hit[]> {
  const groups = new Map<Scope, Hit[]>();
  for (const { scope, hit } of hits) {
    const group = groups.get(scope);
    if (group === undefined) groups.set(scope, [hit]);
    else group.push(hit);
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
    const found = await tier.registry.use(scope, (resident) => readLiveBodies(tier, resident, ofScope));
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
