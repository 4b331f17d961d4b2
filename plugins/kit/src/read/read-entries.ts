import type { Include, MemoryEntry, Scope } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import type { RowBody } from "../row.js";
import { expireNow, type Tier } from "../tier.js";
import { entryOf, type Hit } from "./entry.js";
import type { ScopedHit } from "./merge-hits.js";

/** The entries of a page in its order, without those that went away while they were read. Reading is a use of them. */
export async function readEntries(
  tier: Tier,
  hits: readonly ScopedHit[],
  include: readonly Include[],
): Promise<MemoryEntry[]> {
  const read = new Map<Hit, MemoryEntry>();
  for (const [scope, ofScope] of byScope(hits)) {
    await tier.registry.use(scope, (resident) => readFrom(tier, resident, ofScope, include, read));
  }
  return hits.flatMap(({ hit }) => read.get(hit) ?? []);
}

function byScope(hits: readonly ScopedHit[]): Map<Scope, Hit[]> {
  const groups = new Map<Scope, Hit[]>();
  for (const { scope, hit } of hits) {
    const group = groups.get(scope);
    if (group === undefined) groups.set(scope, [hit]);
    else group.push(hit);
  }
  return groups;
}

async function readFrom(
  tier: Tier,
  resident: Resident,
  hits: readonly Hit[],
  include: readonly Include[],
  read: Map<Hit, MemoryEntry>,
): Promise<void> {
  const rowIds = hits.map((hit) => hit.rowId);
  const bodies = await tier.bodies.get(resident.id, rowIds);
  expireNow(tier, resident);
  const now = tier.clock.now();
  const embedder = tier.services.embedder?.id;
  for (const hit of hits) {
    const slot = resident.partition.slotOfRow(hit.keyHash, hit.rowId);
    const body = bodies.get(hit.rowId);
    if (slot === undefined || body === undefined) continue;
    read.set(hit, entryOf(resident, hit, JSON.parse(body) as RowBody, { include, embedder }));
    resident.partition.columns.accessed[slot] = now;
    tier.retention?.touched({ scope: resident.id, keyHash: hit.keyHash });
  }
}
