import type { Scope } from "@membus/protocol";
import type { Position } from "@membus/protocol/plugin";
import type { LoadedPartition } from "../../lifecycle/index.js";
import { chunksOf, Yielder } from "../../yielder.js";
import type { ReadParts } from "../tier.js";
import type { Hit } from "./entry.js";
import type { ScanPlan } from "./retrieve-plan.js";

/** A hit and its scope. */
export interface ScopedHit {
  readonly scope: Scope;
  readonly hit: Hit;
}

/** Merges two sorted lists and returns the first `limit` hits in the total order. */
export function mergeHits(
  a: readonly ScopedHit[],
  b: readonly ScopedHit[],
  plan: ScanPlan,
): readonly ScopedHit[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  return sortHits([...a, ...b], plan).slice(0, plan.limit);
}

/** Returns a copy in the total order (clause RET-5). */
export function sortHits(hits: readonly ScopedHit[], plan: ScanPlan): ScopedHit[] {
  return hits
    .map((found) => ({ found, position: positionOf(found, plan) }))
    .sort((first, second) => plan.comparePositions(first.position, second.position))
    .map(({ found }) => found);
}

function positionOf({ scope, hit }: ScopedHit, { isByScore }: ScanPlan): Position {
  return {
    rank: isByScore ? hit.score : hit.occurredAt,
    seq: hit.seq,
    tier: scope.tier,
    namespace: scope.namespace,
    key_hash: hit.keyHash,
  };
}

/** Limit of the bodies that are read together. Bytes. */
const READ_BYTES_MAX = 2 * 1024 * 1024;

/** Groups hits by scope. */
export function byScope<Found extends ScopedHit>(hits: readonly Found[]): Map<Scope, Found[]> {
  const groups = new Map<Scope, Found[]>();
  for (const found of hits) {
    const group = groups.get(found.scope);
    if (group === undefined) groups.set(found.scope, [found]);
    else group.push(found);
  }
  return groups;
}

/**
 * Passes the bodies of hits, as JSON, to `visit`, few at a time. Rows removed in the meantime are skipped.
 */
export async function visitBodies(
  tier: ReadParts,
  hits: readonly ScopedHit[],
  visit: (hit: Hit, body: string, loaded: LoadedPartition) => void,
): Promise<void> {
  const yielder = new Yielder();
  for (const [scope, ofScope] of byScope(hits)) {
    for (const part of chunksOf(ofScope, ({ hit }) => hit.bytes, READ_BYTES_MAX)) {
      const wanted = part.map(({ hit }) => hit);
      await tier.registry.use(scope, async (loaded) => {
        const bodies = await readLiveBodies(tier, loaded, wanted);
        for (const hit of wanted) {
          const body = bodies.get(hit.rowId);
          if (body !== undefined) visit(hit, body, loaded);
          await yielder.yieldIfDue();
        }
      });
    }
  }
}

/**
 * Returns the bodies of hits of one partition by row id. Removed rows are not read, because storage may still
 * have them.
 */
export async function readLiveBodies(
  tier: ReadParts,
  loaded: LoadedPartition,
  hits: readonly Hit[],
): Promise<ReadonlyMap<number, string>> {
  const { id, partition } = loaded;
  const live = hits.filter(({ keyHash, rowId }) => partition.slotOfRow(keyHash, rowId) !== undefined);
  const rowIds = live.map(({ rowId }) => rowId);
  const isCached = rowIds.every((rowId) => tier.bodies.peek(rowId) !== undefined);
  const bodies = await tier.bodies.get(id, rowIds);
  if (!isCached) tier.readAhead.recordRead(loaded);
  return bodies;
}
