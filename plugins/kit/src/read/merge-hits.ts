import { comparePositions, type PluginRetrieveRequest, type Position, type Scope } from "@membus/protocol";
import type { Hit } from "./entry.js";

/** A hit with the partition it is in. */
export interface ScopedHit {
  readonly scope: Scope;
  readonly hit: Hit;
}

/** The first `limit` of two sorted lists, in the total order. */
export function mergeHits(
  a: readonly ScopedHit[],
  b: readonly ScopedHit[],
  { order, limit }: Pick<PluginRetrieveRequest, "order" | "limit">,
): readonly ScopedHit[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const positionOf = ({ scope, hit }: ScopedHit): Position => ({
    rank: order === "relevance" ? hit.score : hit.occurredAt,
    seq: hit.seq,
    tier: scope.tier,
    namespace: scope.namespace,
    key_hash: hit.keyHash,
  });
  return [...a, ...b]
    .map((found) => ({ found, position: positionOf(found) }))
    .sort((first, second) => comparePositions(first.position, second.position, order))
    .slice(0, limit)
    .map(({ found }) => found);
}
