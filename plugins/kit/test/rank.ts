import type { RankCorpus, RankQuery } from "../src/search/rank/index.js";
import { wordScores } from "../src/search/rank/lexical.js";
import { fuseEvidence, relevance } from "../src/search/rank/relevance.js";
import { checkDimensions, slotCloseness } from "../src/search/rank/vector.js";

/**
 * Relevance of every slot, computed with full vectors. `QuantizedPrefilter` must find the same without
 * reading them.
 */
export function rank(corpus: RankCorpus, query: RankQuery): Float32Array {
  const scores = wordScores(corpus, query);
  checkDimensions(corpus, query.vector);
  for (let slot = 0; slot < corpus.slotCount; slot++) {
    if (corpus.alive[slot] === 0 || query.allowed?.[slot] === 0) scores[slot] = 0;
    else {
      scores[slot] = relevance(fuseEvidence(scores[slot]!, slotCloseness(corpus.vectors, query, slot)));
    }
  }
  return scores;
}
