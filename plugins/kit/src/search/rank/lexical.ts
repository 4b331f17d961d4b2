import type { QueryTerm } from "../analyzer/analyzer.js";
import { COUNT_FIELDS, type CountField, fieldCount } from "../analyzer/packed-terms.js";
import {
  averageLength,
  type FieldWeights,
  saturation,
  termRarity,
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
  /** Share to which the length of a long entry counts for the term. */
  readonly lengthInfluence: number;
}

/** Returns each term of a query with its share of the best score. */
export function weighTerms(corpus: RankCorpus, terms: readonly QueryTerm[]): WeighedTerm[] {
  const postings = terms.map((term) => termPostings(corpus, term));
  const rarities = terms.map(({ prior }, index) => {
    const found = postings[index];
    const documentFrequency = found === undefined ? 0 : countLive(found, corpus.alive);
    return termRarity(documentFrequency, corpus.liveCount, prior);
  });
  const idfTotal = rarities.reduce((total, rarity) => total + rarity.inverseDocumentFrequency, 0);
  return terms.map(({ word }, index) => {
    const { inverseDocumentFrequency, lengthInfluence } = rarities[index]!;
    return { word, lengthInfluence, postings: postings[index], share: inverseDocumentFrequency / idfTotal };
  });
}

/** Returns the word score of each live slot, including its group, 0 to 1. */
export function wordScores(corpus: RankCorpus, query: RankQuery): Float32Array {
  const scores = lexicalScores(corpus, query);
  if (corpus.hasGroups !== false) addGroupRelevance(scores, corpus.groups, corpus.contextShares);
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
  for (const term of weighed) addTermScores(scores, corpus, term, weights);
  return scores;
}

/** Returns the average length of a corpus. */
export function averageLengthOf({ lengthTotal, liveCount }: RankCorpus): number {
  return averageLength(lengthTotal, liveCount);
}

/** Returns the contribution of a term to the score of an entry with this relative length and frequency. */
export function termScore(
  { share, lengthInfluence }: WeighedTerm,
  frequency: number,
  relativeLength: number,
): number {
  return share * saturation(frequency, relativeLength, lengthInfluence);
}

function countLive({ slots, size }: Postings, alive: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < size; index++) count += alive[slots[index]!]!;
  return count;
}

function addTermScores(
  scores: Float32Array,
  corpus: RankCorpus,
  term: WeighedTerm,
  weights: FieldWeights,
): void {
  if (term.postings === undefined) return;
  const { alive, lengths, contextShares } = corpus;
  const average = averageLengthOf(corpus);
  const { slots, counts, size } = term.postings;
  for (let index = 0; index < size; index++) {
    const slot = slots[index]!;
    if (alive[slot] === 0) continue;
    const frequency = weightedFrequency(counts[index]!, contextShares[slot]!, weights);
    scores[slot]! += termScore(term, frequency, lengths[slot]! / average);
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
