import { COUNT_FIELDS, fieldCount } from "../analyzer/packed-terms.js";
import { lowerBound } from "../lower-bound.js";
import { weightedFrequency, weightsOf } from "./bm25f.js";
import type { Postings, RankCorpus, RankField, RankQuery } from "./corpus.js";
import { combineWithGroup, groupRelevances } from "./group.js";
import { averageLengthOf, lexicalScores, termScore, type WeighedTerm, weighTerms } from "./lexical.js";
import { fuseEvidence, relevance } from "./relevance.js";
import { slotCloseness, slotSimilarity } from "./vector.js";

/** A query term that occurs in the entry. */
export interface ExplainedTerm {
  readonly term: string;
  /** Share of the best lexical score that the query could get. All terms of the query sum to 1. */
  readonly weight: number;
  /** Contribution to the entry's lexical score, 0 to `weight`. 0 if the term is not in a searched field. */
  readonly score: number;
  /** Occurrences by field. */
  readonly fields: Readonly<Record<RankField, number>>;
}

/** Explanation of a slot's relevance. All parts are 0 to 1. */
export interface SlotExplanation {
  /** In the query's order. */
  readonly terms: readonly ExplainedTerm[];
  /** Lexical score of the entry itself: the sum of the terms' scores. */
  readonly lexical: number;
  /**
   * Relevance of the entry's group as a whole, times the share to which it counts for the entry. 0 for an entry
   * without a group.
   */
  readonly group: number;
  /** Cosine of query and entry, cut at 0. 0 without vectors. It counts on the query's scale. */
  readonly similarity: number;
  /** Relevance as `QuantizedPrefilter` returns it. */
  readonly relevance: number;
}

/**
 * Recomputes the parts of the relevance of these slots. With groups, this scores the words of all slots,
 * because a group counts by its best members.
 * @param slots live slots that pass the query's filter
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
    const group = corpus.contextShares[slot]! * (groups.get(corpus.groups[slot]!) ?? 0);
    const words = lexical === 0 || group === 0 ? lexical : Math.fround(combineWithGroup(lexical, group));
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
  const frequency = weightedFrequency(counts, corpus.contextShares[slot]!, weightsOf(query.fields));
  return [
    {
      term: word,
      weight: share,
      score: termScore(term, frequency, corpus.lengths[slot]! / averageLengthOf(corpus)),
      fields: {
        text: fieldCount(counts, COUNT_FIELDS.text),
        context: fieldCount(counts, COUNT_FIELDS.context),
        time: fieldCount(counts, COUNT_FIELDS.time),
      },
    },
  ];
}

function countsAt({ slots, counts, size }: Postings, slot: number): number {
  const at = lowerBound(slots, slot, size);
  return at < size && slots[at] === slot ? counts[at]! : 0;
}
