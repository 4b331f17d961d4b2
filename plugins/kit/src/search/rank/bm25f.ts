import { COUNT_FIELDS, fieldCount, type PackedTerms } from "../analyzer/packed-terms.js";
import type { RankField } from "./corpus.js";

/**
 * Saturation of a repeated word. A word with a count of K1 gets half of the maximum score. Values from 0.9 to
 * 1.5 differ by less than 0.5 points on conversations.
 */
const K1 = 1.2;
/**
 * Share of the entries that contains a word of medium rarity. An entry of ten times the average length contains
 * a frequent word by chance, but not a rare one. So the length of a long entry counts in proportion to the
 * word's frequency. Values from 0.003 to 0.03 differ by less than a point of recall@10, on short turns and on
 * long messages.
 */
const MEDIUM_RARITY = 0.01;

/**
 * Number of words of text that an entry needs to be understood without its context. Values from 30 to 60 differ
 * by less than a point. Without this limit, context and group halve recall@10 on long messages.
 */
const STANDALONE_WORDS = 40;

export type FieldWeights = Readonly<Record<RankField, number>>;

/**
 * Weight of one occurrence in a field of a short entry. Two turns of context add 5 points of recall@10 on conversations,
 * equally with 0.4 to 0.6. More than 0.7 loses points. The time adds 1.5 points.
 */
const FIELD_WEIGHTS: FieldWeights = Object.freeze({ text: 1, context: 0.5, time: 1 });

/**
 * Contribution of a field's word to the length of its entry. The more context an entry has, the less each
 * context word says about the entry. Compared to the weights above, this adds 2 points of nDCG@10, about the
 * same with 1.5 or 3.
 */
const LENGTH_WEIGHTS: FieldWeights = Object.freeze({ text: 1, context: 2, time: 1 });

/**
 * Number of virtual entries that stabilise the statistics of a small partition, and their assumed length in
 * words.
 */
const VIRTUAL_ENTRY_COUNT = 50;
const VIRTUAL_ENTRY_LENGTH = 20;

/**
 * Returns the weights for a search in these fields. Lengths and document frequencies always cover all fields.
 */
export function weightsOf(fields: readonly RankField[] | undefined): FieldWeights {
  if (fields === undefined) return FIELD_WEIGHTS;
  const weight = (field: RankField): number => (fields.includes(field) ? FIELD_WEIGHTS[field] : 0);
  return { text: weight("text"), context: weight("context"), time: weight("time") };
}

/**
 * Returns the weighted number of occurrences of a term over all fields.
 * @param contextShare share of the weight of context that applies to the entry
 */
export function weightedFrequency(counts: number, contextShare = 1, weights = FIELD_WEIGHTS): number {
  return (
    weights.text * fieldCount(counts, COUNT_FIELDS.text) +
    contextShare * weights.context * fieldCount(counts, COUNT_FIELDS.context) +
    weights.time * fieldCount(counts, COUNT_FIELDS.time)
  );
}

/**
 * Length of the shortest entries. Without it, one common word in an entry of three words would count like a
 * match of the whole query.
 */
const LENGTH_MIN = 10;

export interface EntryLength {
  /**
   * Weighted number of words of the entry. An integer, so sums are exact and a partition's total does not
   * depend on the order of changes.
   */
  readonly length: number;
  /** Share to which context and group count for the entry: 1 for a short text, less for a longer one. */
  readonly contextShare: number;
}

/** Measures an entry. Its terms are between `begin` (inclusive) and `end` (exclusive). */
export function measureEntry(terms: PackedTerms, begin = 0, end = terms.length): EntryLength {
  let [text, context, time] = [0, 0, 0];
  for (let index = begin + 1; index < end; index += 2) {
    const counts = terms[index]!;
    text += fieldCount(counts, COUNT_FIELDS.text);
    context += fieldCount(counts, COUNT_FIELDS.context);
    time += fieldCount(counts, COUNT_FIELDS.time);
  }
  const contextShare = STANDALONE_WORDS / Math.max(STANDALONE_WORDS, text);
  const { text: perText, context: perContext, time: perTime } = LENGTH_WEIGHTS;
  const length = perText * text + Math.round(perContext * context * contextShare) + perTime * time;
  return { length: Math.max(LENGTH_MIN, length), contextShare };
}

/** Returns the average length of a partition's entries, including the virtual ones. */
export function averageLength(lengthTotal: number, liveCount: number): number {
  const virtualTotal = VIRTUAL_ENTRY_COUNT * VIRTUAL_ENTRY_LENGTH;
  return (lengthTotal + virtualTotal) / (liveCount + VIRTUAL_ENTRY_COUNT);
}

/**
 * Returns the score of a term's occurrences in an entry, as a share of the score of infinitely many, 0 to 1.
 * Plain BM25 multiplies this by K1 + 1, which cancels out in the division by the best possible score.
 * @param relativeLength length of the entry, divided by the average
 * @param lengthInfluence share to which a length above the average counts, 0 to 1
 */
export function saturation(frequency: number, relativeLength: number, lengthInfluence: number): number {
  // Without a branch, because lengths are in random order.
  const lengthFactor = Math.min(relativeLength, 1) + lengthInfluence * Math.max(relativeLength - 1, 0);
  return frequency / (frequency + K1 * lengthFactor);
}

export interface TermRarity {
  readonly inverseDocumentFrequency: number;
  /** Share to which the length of a long entry counts for this term, 0 to 1. */
  readonly lengthInfluence: number;
}

/**
 * Returns the rarity of a term over the partition's live entries and the virtual ones. Each virtual entry
 * contains the word with the probability that 20 words of general language contain it.
 * @param documentFrequency live entries with the term in any field
 * @param prior probability of the word in general language
 */
export function termRarity(documentFrequency: number, liveCount: number, prior: number): TermRarity {
  const virtualFrequency = VIRTUAL_ENTRY_COUNT * (1 - (1 - prior) ** VIRTUAL_ENTRY_LENGTH);
  const frequency = documentFrequency + virtualFrequency;
  const entryCount = liveCount + VIRTUAL_ENTRY_COUNT;
  // A word that only one entry has is not there by chance, however small the partition is.
  const elsewhere = Math.max(0, documentFrequency - 1) + virtualFrequency;
  return {
    inverseDocumentFrequency: Math.log(1 + (entryCount - frequency + 0.5) / (frequency + 0.5)),
    lengthInfluence: elsewhere / (elsewhere + MEDIUM_RARITY * entryCount),
  };
}
