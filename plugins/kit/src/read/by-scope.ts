import type { Scope } from "@membus/protocol";
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
    const rowIds = ofScope.map(({ rowId }) => rowId);
    const found = await tier.registry.use(scope, (resident) => tier.bodies.get(resident.id, rowIds));
    for (const [rowId, body] of found) bodies.set(rowId, body);
  }
  return bodies;
}
