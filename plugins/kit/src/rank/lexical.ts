import type { QueryTerm } from "../analyzer/analyzer.js";
import { termPostings } from "./alternatives.js";
import { averageLength, type FieldWeights, saturation, weightedFrequency, weightsOf } from "./bm25f.js";
import type { Postings, RankCorpus, RankQuery } from "./corpus.js";
import { inverseDocumentFrequency } from "./idf.js";

/** A term of the query in a partition. */
export interface WeighedTerm {
  readonly word: string;
  readonly postings: Postings | undefined;
  /** What the term is worth of the best score that the query could get: all terms together 1. */
  readonly share: number;
  readonly isId: boolean;
}

/** Each term of a query with its share of the best score. */
export function weighTerms(corpus: RankCorpus, terms: readonly QueryTerm[]): WeighedTerm[] {
  const postings = terms.map((term) => termPostings(corpus, term));
  const idfs = terms.map(({ prior }, index) => {
    const found = postings[index];
    const documentFrequency = found === undefined ? 0 : countLive(found, corpus.alive);
    return inverseDocumentFrequency(documentFrequency, corpus.liveCount, prior);
  });
  const idfTotal = idfs.reduce((total, idf) => total + idf, 0);
  return terms.map(({ word, isId = false }, index) => ({
    word,
    isId,
    postings: postings[index],
    share: idfs[index]! / idfTotal,
  }));
}

/**
 * BM25F of each live slot as a share of the best score that the query could get, 0 to 1.
 * @param scores a zero for each slot, which its score replaces
 */
export function lexicalScores(
  corpus: RankCorpus,
  { terms, fields }: RankQuery,
  scores: Float32Array = new Float32Array(corpus.slotCount),
): Float32Array {
  const weights = weightsOf(fields);
  const average = averageLength(corpus.lengthTotal, corpus.liveCount);
  for (const term of weighTerms(corpus, terms)) addTermScores(scores, corpus, term, { weights, average });
  return scores;
}

/** What a term adds to the score of an entry of this length that has it so often. */
export function termScore(
  { share, isId }: WeighedTerm,
  frequency: number,
  length: number,
  average: number,
): number {
  return share * saturation(frequency, isId ? average : length, average);
}

function countLive({ slots, size }: Postings, alive: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < size; index++) count += alive[slots[index]!]!;
  return count;
}

function addTermScores(
  scores: Float32Array,
  { alive, lengths }: RankCorpus,
  term: WeighedTerm,
  { weights, average }: { readonly weights: FieldWeights; readonly average: number },
): void {
  if (term.postings === undefined) return;
  const { slots, counts, size } = term.postings;
  for (let index = 0; index < size; index++) {
    const slot = slots[index]!;
    if (alive[slot] === 0) continue;
    const frequency = weightedFrequency(counts[index]!, weights);
    scores[slot]! += termScore(term, frequency, lengths[slot]!, average);
  }
}
