import type { QueryTerm } from "../analyzer/analyzer.js";
import { averageLength, saturation, weightedFrequency } from "./bm25f.js";
import type { Postings, RankCorpus } from "./corpus.js";
import { inverseDocumentFrequency } from "./idf.js";

interface WeighedTerm {
  readonly postings: Postings | undefined;
  readonly idf: number;
}

/** BM25F of each live slot as a share of the best score that the query could get, 0 to 1. */
export function lexicalScores(corpus: RankCorpus, terms: readonly QueryTerm[]): Float32Array {
  const weighed = terms.map((term) => weighTerm(corpus, term));
  const idfTotal = weighed.reduce((total, { idf }) => total + idf, 0);
  const average = averageLength(corpus.lengthTotal, corpus.liveCount);
  const scores = new Float32Array(corpus.slotCount);
  for (const { postings, idf } of weighed) {
    if (postings !== undefined) addTermScores(scores, corpus, postings, idf / idfTotal, average);
  }
  return scores;
}

function weighTerm(corpus: RankCorpus, term: QueryTerm): WeighedTerm {
  const postings = corpus.postings(term.hash);
  const documentFrequency = postings === undefined ? 0 : countLive(postings, corpus.alive);
  return { postings, idf: inverseDocumentFrequency(documentFrequency, corpus.liveCount, term.prior) };
}

function countLive({ slots, size }: Postings, alive: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < size; index++) count += alive[slots[index]!]!;
  return count;
}

function addTermScores(
  scores: Float32Array,
  { alive, lengths }: RankCorpus,
  { slots, counts, size }: Postings,
  share: number,
  average: number,
): void {
  for (let index = 0; index < size; index++) {
    const slot = slots[index]!;
    if (alive[slot] === 0) continue;
    scores[slot]! += share * saturation(weightedFrequency(counts[index]!), lengths[slot]!, average);
  }
}
