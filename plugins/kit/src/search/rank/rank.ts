import type { RankCorpus, RankQuery } from "./corpus.js";
import { addGroupRelevance } from "./group.js";
import { lexicalScores } from "./lexical.js";
import { fuseEvidence, relevance } from "./relevance.js";
import { slotCloseness } from "./vector.js";

/**
 * Relevance of every slot to the query. Explanations and tests ask for it; a page is found by `EvidenceSieve`, which
 * gives the same without reading every vector.
 *
 * It is absolute: it depends on the query, the entry, the entry's own group and, slowly, on the statistics of the
 * partition (how many entries have a word, how long they are), never on what else the query finds nor on the filter.
 * @returns a new array of `slotCount` values, 0 to 1; 0 for dead, filtered and unrelated slots. See `relevance` for
 * what the values mean.
 * @throws {TypeError} when the query's vector has not the dimensions of the corpus.
 */
export function rank(corpus: RankCorpus, query: RankQuery): Float32Array {
  const scores = wordScores(corpus, query);
  reportRelevance(scores, corpus, query);
  return scores;
}

/** What words say of each live slot, its group's included, 0 to 1. */
export function wordScores(corpus: RankCorpus, query: RankQuery): Float32Array {
  const scores = lexicalScores(corpus, query);
  if (corpus.hasGroups !== false) addGroupRelevance(scores, corpus.groups);
  return scores;
}

function reportRelevance(scores: Float32Array, corpus: RankCorpus, query: RankQuery): void {
  const { vector, allowed } = query;
  checkDimensions(corpus, vector);
  for (let slot = 0; slot < corpus.slotCount; slot++) {
    if (corpus.alive[slot] === 0 || allowed?.[slot] === 0) scores[slot] = 0;
    else {
      scores[slot] = relevance(fuseEvidence(scores[slot]!, slotCloseness(corpus.vectors, query, slot)));
    }
  }
}

/** @throws {TypeError} for a query's vector that has not the dimensions of the corpus. */
export function checkDimensions({ vectors }: RankCorpus, vector: Float32Array | undefined): void {
  if (vector === undefined || vectors === undefined || vector.length === vectors.dimensions) return;
  throw new TypeError(`query vector has ${vector.length} dimensions, the corpus ${vectors.dimensions}`);
}
