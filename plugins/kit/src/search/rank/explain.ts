import { COUNT_FIELDS, fieldCount } from "../analyzer/packed-terms.js";
import { averageLength, weightedFrequency, weightsOf } from "./bm25f.js";
import type { Postings, RankCorpus, RankField, RankQuery } from "./corpus.js";
import { groupRelevances, withGroup } from "./group.js";
import { lexicalScores, termScore, type WeighedTerm, weighTerms } from "./lexical.js";
import { fuseEvidence, relevance } from "./relevance.js";
import { slotCloseness, slotSimilarity } from "./vector.js";

/** A term of the query that stands in the entry. */
export interface ExplainedTerm {
  readonly term: string;
  /** Its share of the best lexical score that the query could get: all terms of the query together 1. */
  readonly weight: number;
  /** What it adds to the entry's lexical score, 0 to `weight`; 0 where it stands in no field that was asked for. */
  readonly score: number;
  /** Occurrences by field. */
  readonly fields: Readonly<Record<RankField, number>>;
}

/** Why a slot has its relevance. All parts are 0 to 1. */
export interface SlotExplanation {
  /** In the query's order. */
  readonly terms: readonly ExplainedTerm[];
  /** What the words of the entry itself say: the sum of the terms' scores. */
  readonly lexical: number;
  /** How well the entry's group as a whole answers; 0 for one in no group. */
  readonly group: number;
  /** Cosine of query and entry, cut at 0; 0 without vectors. Counts on the query's scale. */
  readonly similarity: number;
  /** What `EvidenceSieve` gives the slot. */
  readonly relevance: number;
}

/**
 * The parts of the relevance of these slots, computed anew: the words of all slots where there are groups, as a group counts
 * by its best members, and the vectors of these.
 * @param slots live ones that the query's filter admits
 */
export function explainSlots(
  corpus: RankCorpus,
  query: RankQuery,
  slots: readonly number[],
): SlotExplanation[] {
  const weighed = weighTerms(corpus, query.terms);
  const groups = corpus.hasGroups === false ? NO_GROUPS : relevancesOfGroups(corpus, query, weighed);
  return slots.map((slot) => {
    const terms = weighed.flatMap((term) => explainTerm(corpus, query, term, slot));
    const lexical = terms.reduce((sum, { score }) => Math.fround(sum + score), 0);
    const group = groups.get(corpus.groups[slot]!) ?? 0;
    const words = lexical === 0 || group === 0 ? lexical : Math.fround(withGroup(lexical, group));
    return {
      terms,
      lexical,
      group,
      similarity: slotSimilarity(corpus.vectors, query.vector, slot),
      relevance: relevance(fuseEvidence(words, slotCloseness(corpus.vectors, query, slot))),
    };
  });
}

const NO_GROUPS: ReadonlyMap<number, number> = new Map();

function relevancesOfGroups(corpus: RankCorpus, query: RankQuery, weighed: WeighedTerm[]) {
  return groupRelevances(lexicalScores(corpus, query, weighed), corpus.groups);
}

function explainTerm(corpus: RankCorpus, query: RankQuery, term: WeighedTerm, slot: number): ExplainedTerm[] {
  const { word, postings, share } = term;
  const counts = postings === undefined ? 0 : countsAt(postings, slot);
  if (counts === 0) return [];
  const average = averageLength(corpus.lengthTotal, corpus.liveCount);
  const frequency = weightedFrequency(counts, weightsOf(query.fields));
  return [
    {
      term: word,
      weight: share,
      score: termScore(term, frequency, corpus.lengths[slot]!, average),
      fields: {
        text: fieldCount(counts, COUNT_FIELDS.text),
        context: fieldCount(counts, COUNT_FIELDS.context),
        time: fieldCount(counts, COUNT_FIELDS.time),
      },
    },
  ];
}

function countsAt({ slots, counts, size }: Postings, slot: number): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slots[middle]! < slot) low = middle + 1;
    else high = middle;
  }
  return low < size && slots[low] === slot ? counts[low]! : 0;
}
