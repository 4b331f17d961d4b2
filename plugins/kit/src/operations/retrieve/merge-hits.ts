import { comparePositions, type PluginRetrieveRequest, type Position, type Scope } from "@membus/protocol";
import type { Hit } from "./entry.js";

/** A hit with the partition it is in. */
export interface ScopedHit {
  readonly scope: Scope;
  readonly hit: Hit;
}

type Order = PluginRetrieveRequest["order"];

/** The first `limit` of two sorted lists, in the total order. */
export function mergeHits(
  a: readonly ScopedHit[],
  b: readonly ScopedHit[],
  { order, limit }: Pick<PluginRetrieveRequest, "order" | "limit">,
): readonly ScopedHit[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  return sortHits([...a, ...b], order).slice(0, limit);
}

/** A copy in the total order (clause RET-5). */
export function sortHits(hits: readonly ScopedHit[], order: Order): ScopedHit[] {
  return hits
    .map((found) => ({ found, position: positionOf(found, order) }))
    .sort((first, second) => comparePositions(first.position, second.position, order))
    .map(({ found }) => found);
}

function positionOf({ scope, hit }: ScopedHit, order: Order): Position {
  return {
    rank: order === "relevance" ? hit.score : hit.occurredAt,
    seq: hit.seq,
    tier: scope.tier,
    namespace: scope.namespace,
    key_hash: hit.keyHash,
  };
}
