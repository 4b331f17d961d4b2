import { COUNT_FIELDS, fieldCount, type PackedTerms, similarity } from "../../search/index.js";

/** Features that two entries are compared by. */
export interface ComparedEntry {
  /** Unit vector. */
  readonly vector: Float32Array | undefined;
  /** Hashes of the distinct words of the text. Empty if all entries have vectors. */
  readonly words: ReadonlySet<number>;
}

/**
 * Returns the similarity of two entries, 0 to 1: the cosine of their vectors, or of their word sets if one
 * has no vector.
 */
export function entrySimilarity(a: ComparedEntry, b: ComparedEntry): number {
  if (a.vector !== undefined && b.vector !== undefined) return similarity(a.vector, b.vector, 0);
  const [small, large] = a.words.size <= b.words.size ? [a.words, b.words] : [b.words, a.words];
  if (small.size === 0) return 0;
  let sharedCount = 0;
  for (const word of small) if (large.has(word)) sharedCount++;
  return sharedCount / Math.sqrt(small.size * large.size);
}

/**
 * Returns the words of the text itself. Context and time are left out, because entries with different texts
 * share them.
 */
export function textWords(terms: PackedTerms): Set<number> {
  const words = new Set<number>();
  for (let at = 0; at < terms.length; at += 2) {
    if (fieldCount(terms[at + 1]!, COUNT_FIELDS.text) > 0) words.add(terms[at]!);
  }
  return words;
}
