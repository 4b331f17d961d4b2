import { FIELD_SHIFT, fieldCount, type PackedTerms } from "../analyzer/packed-terms.js";
import type { RankField } from "./corpus.js";

/** Saturation of a repeated word: where its count reaches K1, it is worth half of its best. */
const K1 = 1.2;
/** How much a long entry's words lose against a short one's: 0 nothing, 1 in proportion. */
const LENGTH_INFLUENCE = 0.5;

/** What one occurrence in a field is worth. */
export type FieldWeights = Readonly<Record<RankField, number>>;
export const FIELD_WEIGHTS: FieldWeights = Object.freeze({ text: 1, context: 0.4, time: 1 });

/** Virtual entries that steady the statistics of a small partition, and how many words each is taken to have. */
export const VIRTUAL_ENTRY_COUNT = 50;
export const VIRTUAL_ENTRY_LENGTH = 20;

/** The weights where only these fields count; lengths and document frequencies are of all fields all the same. */
export function weightsOf(fields: readonly RankField[] | undefined): FieldWeights {
  if (fields === undefined) return FIELD_WEIGHTS;
  const weight = (field: RankField): number => (fields.includes(field) ? FIELD_WEIGHTS[field] : 0);
  return { text: weight("text"), context: weight("context"), time: weight("time") };
}

/** How often a term occurs, over the fields. */
export function weightedFrequency(counts: number, weights: FieldWeights = FIELD_WEIGHTS): number {
  return (
    weights.text * fieldCount(counts, FIELD_SHIFT.text) +
    weights.context * fieldCount(counts, FIELD_SHIFT.context) +
    weights.time * fieldCount(counts, FIELD_SHIFT.time)
  );
}

/**
 * Words of an entry, weighted as their fields are; its terms stand from `begin` to before `end`. A float32: sums of
 * these are exact in a double, so a partition's total does not depend on the order in which entries came and went.
 */
export function weightedLength(terms: PackedTerms, begin = 0, end = terms.length): number {
  let length = 0;
  for (let index = begin + 1; index < end; index += 2) length += weightedFrequency(terms[index]!);
  return Math.fround(length);
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
