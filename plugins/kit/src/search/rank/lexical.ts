import type { QueryTerm } from "../analyzer/analyzer.js";
import { COUNT_FIELDS, type CountField, fieldCount } from "../analyzer/packed-terms.js";
import {
  averageLength,
  type FieldWeights,
  inverseDocumentFrequency,
  saturation,
  weightedFrequency,
  weightsOf,
} from "./bm25f.js";
import type { Postings, RankCorpus, RankQuery } from "./corpus.js";
import { addGroupRelevance } from "./group.js";

/** A query term with its postings in a partition. */
export interface WeighedTerm {
  readonly word: string;
  readonly postings: Postings | undefined;
  /** Share of the best score that the query could get. All terms sum to 1. */
  readonly share: number;
  readonly isId: boolean;
}

/** Returns each term of a query with its share of the best score. */
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

/** Returns the word score of each live slot, including its group, 0 to 1. */
export function wordScores(corpus: RankCorpus, query: RankQuery): Float32Array {
  const scores = lexicalScores(corpus, query);
  if (corpus.hasGroups !== false) addGroupRelevance(scores, corpus.groups);
  return scores;
}

/**
 * Returns the BM25F score of each live slot as a share of the best score that the query could get, 0 to 1.
 */
export function lexicalScores(
  corpus: RankCorpus,
  { terms, fields }: RankQuery,
  weighed = weighTerms(corpus, terms),
): Float32Array {
  const scores = new Float32Array(corpus.slotCount);
  const weights = weightsOf(fields);
  const average = averageLength(corpus.lengthTotal, corpus.liveCount);
  for (const term of weighed) addTermScores(scores, corpus, term, { weights, average });
  return scores;
}

/** Returns the contribution of a term to the score of an entry with this length and frequency. */
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

/**
 * Returns the postings of a query term over all of its hashes. A slot counts once, with the best count in
 * each field.
 */
function termPostings(corpus: RankCorpus, { hash, alternatives = [] }: QueryTerm): Postings | undefined {
  const lists = [hash, ...alternatives].flatMap((each) => {
    const list = corpus.postings(each);
    return list !== undefined && list.size > 0 ? [list] : [];
  });
  return lists.length < 2 ? lists[0] : mergePostings(lists);
}

/** Merges postings, which are in ascending order of slots. */
function mergePostings(lists: readonly Postings[]): Postings {
  return lists.toSorted((a, b) => a.size - b.size).reduce(mergeTwo);
}

function mergeTwo(one: Postings, other: Postings): Postings {
  const slots = new Uint32Array(one.size + other.size);
  const counts = new Uint16Array(slots.length);
  let size = 0;
  for (let left = 0, right = 0; left < one.size || right < other.size; size++) {
    const ours = left < one.size ? one.slots[left]! : Number.POSITIVE_INFINITY;
    const theirs = right < other.size ? other.slots[right]! : Number.POSITIVE_INFINITY;
    slots[size] = Math.min(ours, theirs);
    if (ours < theirs) counts[size] = one.counts[left++]!;
    else if (theirs < ours) counts[size] = other.counts[right++]!;
    else counts[size] = maxCounts(one.counts[left++]!, other.counts[right++]!);
  }
  return { slots, counts, size };
}

function maxCounts(one: number, other: number): number {
  return (
    maxCount(one, other, COUNT_FIELDS.text) +
    maxCount(one, other, COUNT_FIELDS.context) +
    maxCount(one, other, COUNT_FIELDS.time)
  );
}

function maxCount(one: number, other: number, field: CountField): number {
  return Math.max(fieldCount(one, field), fieldCount(other, field)) << field.shift;
}
