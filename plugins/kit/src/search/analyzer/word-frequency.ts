import { readFileSync } from "node:fs";

/** Frequent English words, the most frequent first. NOTICE.txt in the same folder names the source. */
const WORD_RANKS_FILE = new URL("../../../data/word-ranks.txt", import.meta.url);

/** Assumed vocabulary size of a language, used as the rank of words that are not in the file. */
const VOCABULARY_SIZE = 30_000;
const HARMONIC_NUMBER = Math.log(VOCABULARY_SIZE) + 0.5772;

/** Number of leading letters that a word's base form and its stem share. */
const COMMON_LETTERS = 2;

/** Returns the probability of the word at a rank (1 = most frequent) by Zipf's law. */
function zipfProbability(rank: number): number {
  return 1 / (rank * HARMONIC_NUMBER);
}

/** Probability of a word that is not in the list. */
export const UNKNOWN_WORD_PROBABILITY = zipfProbability(VOCABULARY_SIZE);

export interface Stemming {
  /** Returns the form of a word that is stemmed: `buy` for `bought`. */
  baseForm(word: string): string;
  /** Returns the stem. It keeps the first two letters. */
  stemOf(baseForm: string): string;
}

/**
 * Probability of each stem, which is the probability of its most frequent word. The file is read
 * synchronously. Its words are stemmed when a stem with the same first letters is requested, because stemming
 * all of them takes longer than most queries.
 */
export class StemProbabilities {
  readonly #stemming: Stemming;
  /** Base forms that are not stemmed yet, with their ranks, most frequent first, by first letters. */
  readonly #unstemmed = new Map<string, [baseForm: string, rank: number][]>();
  readonly #probabilities = new Map<string, number>();

  constructor(stemming: Stemming) {
    this.#stemming = stemming;
    const words = readFileSync(WORD_RANKS_FILE, "utf8").trimEnd().split("\n");
    for (const [index, word] of words.entries()) this.#addWord(stemming.baseForm(word), index + 1);
  }

  of(stem: string): number {
    this.#stemLike(stem.slice(0, COMMON_LETTERS));
    return this.#probabilities.get(stem) ?? UNKNOWN_WORD_PROBABILITY;
  }

  #addWord(baseForm: string, rank: number): void {
    const letters = baseForm.slice(0, COMMON_LETTERS);
    const alike = this.#unstemmed.get(letters);
    if (alike === undefined) this.#unstemmed.set(letters, [[baseForm, rank]]);
    else alike.push([baseForm, rank]);
  }

  #stemLike(letters: string): void {
    for (const [baseForm, rank] of this.#unstemmed.get(letters) ?? []) {
      const stem = this.#stemming.stemOf(baseForm);
      if (!this.#probabilities.has(stem)) this.#probabilities.set(stem, zipfProbability(rank));
    }
    this.#unstemmed.delete(letters);
  }
}
