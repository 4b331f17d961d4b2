import { readFileSync } from "node:fs";

/** Frequent English words, the most frequent first; its notice lies beside it. */
const WORD_RANKS_FILE = new URL("../../data/word-ranks.txt", import.meta.url);

/** Words a language is taken to have: the rank of one that is not in the file. */
const VOCABULARY_SIZE = 30_000;
const HARMONIC_NUMBER = Math.log(VOCABULARY_SIZE) + 0.5772;

/** Zipf's law: the probability of the word at a rank (1 = most frequent). */
function zipfProbability(rank: number): number {
  return 1 / (rank * HARMONIC_NUMBER);
}

/** Probability of a word that is in no list. */
export const UNKNOWN_WORD_PROBABILITY = zipfProbability(VOCABULARY_SIZE);

/** Probability of each stem: that of its most frequent word. Reads the file, synchronously. */
export function loadStemProbabilities(stem: (word: string) => string): ReadonlyMap<string, number> {
  const words = readFileSync(WORD_RANKS_FILE, "utf8").trimEnd().split("\n");
  const probabilities = new Map<string, number>();
  for (const [index, word] of words.entries()) {
    const key = stem(word);
    if (!probabilities.has(key)) probabilities.set(key, zipfProbability(index + 1));
  }
  return probabilities;
}
