import type { RowBody } from "../../row.js";
import type { ReadParts } from "../tier.js";
import type { Hit } from "./entry.js";
import { type ScopedHit, visitBodies } from "./scoped-hits.js";
import { type ComparedEntry, entrySimilarity, textWords } from "./similarity.js";

const NO_WORDS: ReadonlySet<number> = new Set();

/**
 * Picks `limit` of the candidates by maximal marginal relevance (clause RET-25). The first is the best one. Each
 * next one has the highest (1 - diversity) x score - diversity x similarity to the most similar picked one.
 * @param candidates in the total order, which the result keeps and which breaks ties
 */
export async function diversify(
  tier: ReadParts,
  candidates: readonly ScopedHit[],
  { diversity, limit }: { readonly diversity: number; readonly limit: number },
): Promise<readonly ScopedHit[]> {
  if (candidates.length <= limit) return candidates;
  const compared = await compareBy(tier, candidates);
  const picked = pick(
    candidates.map(({ hit }) => hit.score),
    (a, b) => entrySimilarity(compared[a]!, compared[b]!),
    { diversity, limit },
  );
  return candidates.filter((_, index) => picked.has(index));
}

/**
 * Returns indices picked by maximal marginal relevance. Computes one similarity per pair of a picked and
 * another candidate.
 */
function pick(
  scores: readonly number[],
  likenessOf: (a: number, b: number) => number,
  { diversity, limit }: { readonly diversity: number; readonly limit: number },
): ReadonlySet<number> {
  const picked = new Set<number>();
  const nearest = new Float64Array(scores.length);
  for (let next = 0; next >= 0 && picked.size < limit; ) {
    const latest = next;
    picked.add(latest);
    next = -1;
    let best = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < scores.length; index++) {
      if (picked.has(index)) continue;
      nearest[index] = Math.max(nearest[index]!, likenessOf(latest, index));
      const worth = (1 - diversity) * scores[index]! - diversity * nearest[index]!;
      if (worth > best) [best, next] = [worth, index];
    }
  }
  return picked;
}

/** Returns the features to compare. Words are read only if a vector is missing. */
async function compareBy(tier: ReadParts, candidates: readonly ScopedHit[]): Promise<ComparedEntry[]> {
  const isByVector = candidates.every(({ hit }) => hit.vector !== undefined);
  if (isByVector) return candidates.map(({ hit }) => ({ vector: hit.vector, words: NO_WORDS }));
  const words = new Map<Hit, ReadonlySet<number>>();
  await visitBodies(tier, candidates, (hit, json, { partition }) => {
    const slot = partition.slotOfRow(hit.keyHash, hit.rowId);
    if (slot === undefined) return;
    const [body, facets] = [JSON.parse(json) as RowBody, partition.facetsOf(slot)];
    words.set(hit, textWords(tier.indexer.terms({ body, facets, occurredAt: hit.occurredAt })));
  });
  return candidates.map(({ hit }) => ({ vector: hit.vector, words: words.get(hit) ?? NO_WORDS }));
}
