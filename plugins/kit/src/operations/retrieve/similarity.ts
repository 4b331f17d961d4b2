import { COUNT_FIELDS, fieldCount, type PackedTerms, similarity } from "../../search/index.js";

/** What two entries are compared by. */
export interface Likeness {
  /** Unit vector. */
  readonly vector: Float32Array | undefined;
  /** Distinct words of the text, as hashes; empty where vectors suffice. */
  readonly words: ReadonlySet<number>;
}

/** How alike two entries are, 0 to 1: the cosine of their vectors or, unless both have one, of their sets of words. */
export function likeness(a: Likeness, b: Likeness): number {
  if (a.vector !== undefined && b.vector !== undefined) return similarity(a.vector, b.vector, 0);
  const [small, large] = a.words.size <= b.words.size ? [a.words, b.words] : [b.words, a.words];
  if (small.size === 0) return 0;
  let sharedCount = 0;
  for (const word of small) if (large.has(word)) sharedCount++;
  return sharedCount / Math.sqrt(small.size * large.size);
}

/** The words that stand in the text itself: context and time are shared by entries that say different things. */
export function textWords(terms: PackedTerms): Set<number> {
  const words = new Set<number>();
  for (let at = 0; at < terms.length; at += 2) {
    if (fieldCount(terms[at + 1]!, COUNT_FIELDS.text) > 0) words.add(terms[at]!);
  }
  return words;
}
