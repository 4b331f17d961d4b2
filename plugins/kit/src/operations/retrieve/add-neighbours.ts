import { chunkEnd } from "../../yielder.js";
import type { ReadParts } from "../tier.js";
import { copyHit, type Hit } from "./entry.js";
import { NeighbourFinder } from "./neighbours.js";
import type { EntryPlan } from "./retrieve-plan.js";
import { byScope, type ScopedHit } from "./scoped-hits.js";

/** A hit with its neighbours. */
export interface HitWithNeighbours extends ScopedHit {
  readonly before: readonly Hit[];
  readonly after: readonly Hit[];
}

/**
 * Returns the first hits with their neighbours: at least one, and at most as many as fit `bytesMax`
 * approximately.
 */
export async function addNeighbours(
  tier: ReadParts,
  hits: readonly ScopedHit[],
  expand: EntryPlan["expand"],
  bytesMax: number,
): Promise<readonly HitWithNeighbours[]> {
  if (expand === undefined) return hits.map((found) => ({ ...found, before: [], after: [] }));
  const surrounded = new Map<Hit, HitWithNeighbours>();
  for (const [scope, ofScope] of byScope(hits)) {
    await tier.registry.use(scope, async (loaded) => {
      const { partition } = loaded;
      await tier.expiry.expireInSteps(loaded);
      tier.expiry.expireNow(loaded);
      const wanted = ofScope.map(({ hit }) => hit);
      const finder = new NeighbourFinder(partition, wanted);
      const copy = (slot: number) => copyHit(loaded, slot, partition.columns.numbers.importance[slot]!);
      let bytes = 0;
      for (const hit of wanted) {
        if (bytes > bytesMax) break;
        const { before, after } = finder.find(hit, expand);
        const found = { scope, hit, before: before.map(copy), after: after.map(copy) };
        surrounded.set(hit, found);
        bytes += bytesOf(found);
      }
    });
  }
  const end = hits.findIndex(({ hit }) => !surrounded.has(hit));
  const found = hits.slice(0, end === -1 ? hits.length : end).map(({ hit }) => surrounded.get(hit)!);
  return found.slice(0, chunkEnd(found, 0, bytesOf, bytesMax));
}

function bytesOf({ hit, before, after }: HitWithNeighbours): number {
  return [hit, ...before, ...after].reduce((sum, { bytes }) => sum + bytes, 0);
}
