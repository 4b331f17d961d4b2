import { COUNT_FIELDS, fieldCount, type PackedTerms } from "../analyzer/packed-terms.js";
import type { RankField } from "./corpus.js";

/**
 * Saturation of a repeated word: where its count reaches K1, it is worth half of its best. 0.9 to 1.5 differ by less
 * than 0.5 points on conversations.
 */
const K1 = 1.2;
/**
 * How much a long entry's words lose against a short one's: 0 nothing, 1 in proportion. 0.3 to 0.6 differ by less than
 * 0.5 points, 0.75 loses half a point of nDCG@10.
 */
const LENGTH_INFLUENCE = 0.5;

export type FieldWeights = Readonly<Record<RankField, number>>;

/**
 * What one occurrence in a field is worth. Two turns of context are worth 5 points of recall@10 on conversations, 0.4 to
 * 0.6 alike; more than 0.7 loses. The time is worth 1.5 points.
 */
const FIELD_WEIGHTS: FieldWeights = Object.freeze({ text: 1, context: 0.5, time: 1 });

/**
 * What a word of a field adds to the length of its entry. The more is said around an entry, the less a word of it says
 * about the entry: against the weights above this is worth 2 points of nDCG@10, and as much with 1.5 or 3.
 */
const LENGTH_WEIGHTS: FieldWeights = Object.freeze({ text: 1, context: 2, time: 1 });

/** Virtual entries that steady the statistics of a small partition, and how many words each is taken to have. */
const VIRTUAL_ENTRY_COUNT = 50;
const VIRTUAL_ENTRY_LENGTH = 20;

/** The weights where only these fields count; lengths and document frequencies are of all fields all the same. */
export function weightsOf(fields: readonly RankField[] | undefined): FieldWeights {
  if (fields === undefined) return FIELD_WEIGHTS;
  const weight = (field: RankField): number => (fields.includes(field) ? FIELD_WEIGHTS[field] : 0);
  return { text: weight("text"), context: weight("context"), time: weight("time") };
}

/** How often a term occurs, over the fields. */
export function weightedFrequency(counts: number, weights: FieldWeights = FIELD_WEIGHTS): number {
  return (
    weights.text * fieldCount(counts, COUNT_FIELDS.text) +
    weights.context * fieldCount(counts, COUNT_FIELDS.context) +
    weights.time * fieldCount(counts, COUNT_FIELDS.time)
  );
}

/**
 * Words of an entry; its terms stand from `begin` to before `end`. A whole number: sums of these are exact, so a
 * partition's total does not depend on the order in which entries came and went.
 */
export function weightedLength(terms: PackedTerms, begin = 0, end = terms.length): number {
  let length = 0;
  for (let index = begin + 1; index < end; index += 2) {
    length += weightedFrequency(terms[index]!, LENGTH_WEIGHTS);
  }
  return length;
}

/** Length of a partition's entries on average, with the virtual ones. */
export function averageLength(lengthTotal: number, liveCount: number): number {
  const virtualTotal = VIRTUAL_ENTRY_COUNT * VIRTUAL_ENTRY_LENGTH;
  return (lengthTotal + virtualTotal) / (liveCount + VIRTUAL_ENTRY_COUNT);
}

/**
 * Worth of a term's occurrences in an entry as a share of what infinitely many would be worth, 0 to 1. Plain BM25
 * multiplies this by K1 + 1; dividing by the best possible score takes that out again.
 */
export function saturation(frequency: number, length: number, average: number): number {
  const lengthFactor = 1 - LENGTH_INFLUENCE + (LENGTH_INFLUENCE * length) / average;
  return frequency / (frequency + K1 * lengthFactor);
}

/**
 * How much a term tells entries apart: its inverse document frequency over the partition's live entries and the
 * virtual ones, each of which has the word with the probability that 20 words of general language have it.
 * @param documentFrequency live entries with the term in any field
 * @param prior probability of the word in general language
 */
export function inverseDocumentFrequency(
  documentFrequency: number,
  liveCount: number,
  prior: number,
): number {
  const virtualFrequency = VIRTUAL_ENTRY_COUNT * (1 - (1 - prior) ** VIRTUAL_ENTRY_LENGTH);
  const frequency = documentFrequency + virtualFrequency;
  return Math.log(1 + (liveCount + VIRTUAL_ENTRY_COUNT - frequency + 0.5) / (frequency + 0.5));
}
