import { LIMITS, type MemoryError } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import type { RetrieveParts } from "../tier.js";
import { diversify } from "./diversify.js";
import { rerank } from "./rerank.js";
import type { ScopedHit } from "./scoped-hits.js";

/** Number of candidates for diversity: five per place, up to this maximum. */
const DIVERSITY_CANDIDATES_MAX = 200;
const DIVERSITY_CANDIDATES_PER_PLACE = 5;

/** Returns how many of the best entries a page is chosen from. Equals `limit` if they are the page. */
export function candidateCount({ limit, diversity, rerank }: PluginRetrieveRequest): number {
  if (limit === 0) return 0;
  const forDiversity = diversity
    ? Math.min(DIVERSITY_CANDIDATES_MAX, DIVERSITY_CANDIDATES_PER_PLACE * limit)
    : 0;
  return Math.max(limit, forDiversity, rerank ? LIMITS.rerankEntries : 0);
}

/** The entries of a page, in the total order. */
export interface ChosenPage {
  readonly hits: readonly ScopedHit[];
  readonly degraded?: MemoryError | undefined;
}

/**
 * Chooses the page from the best candidates: first by reranking, then by diversity, as far as they are
 * requested. Calls `ended` after each stage.
 */
export async function choosePage(
  tier: RetrieveParts,
  candidates: readonly ScopedHit[],
  request: PluginRetrieveRequest,
  ended: (stage: string) => void,
): Promise<ChosenPage> {
  const { limit, diversity } = request;
  let { hits, degraded }: ChosenPage = { hits: candidates };
  if (request.rerank) {
    ({ hits, degraded } = await rerank(tier, hits, request));
    ended("rerank");
  }
  if (diversity) {
    hits = await diversify(tier, hits, { diversity, limit });
    ended("diversify");
  }
  return { hits: hits.slice(0, limit), degraded };
}
