/** Packed terms of a row: pairs of a term's hash and its counts, in order of first occurrence. */
export type PackedTerms = Uint32Array;

const COUNT_BITS = 10;
const COUNT_MAX = (1 << COUNT_BITS) - 1;

/** Where in the counts of a term each field's count begins. */
export const FIELD_SHIFT = Object.freeze({ text: 0, context: COUNT_BITS, time: 2 * COUNT_BITS });

/** How often a term occurs in one field, 0 to 1023, read from its counts. */
export function fieldCount(counts: number, shift: number): number {
  return (counts >>> shift) & COUNT_MAX;
}

/** The counts with one more occurrence in a field; a full count stays. */
export function addOccurrence(counts: number, shift: number): number {
  return fieldCount(counts, shift) < COUNT_MAX ? counts + (1 << shift) : counts;
}
