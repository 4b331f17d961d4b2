import { readFileSync } from "node:fs";

/** Frequent English words, the most frequent first; its notice lies beside it. */
const WORD_RANKS_FILE = new URL("../../../data/word-ranks.txt", import.meta.url);

/** Words a language is taken to have: the rank of one that is not in the file. */
const VOCABULARY_SIZE = 30_000;
const HARMONIC_NUMBER = Math.log(VOCABULARY_SIZE) + 0.5772;

/** Letters that a word's base form and its stem have in common at their beginning. */
const COMMON_LETTERS = 2;

/** Zipf's law: the probability of the word at a rank (1 = most frequent). */
function zipfProbability(rank: number): number {
  return 1 / (rank * HARMONIC_NUMBER);
}

/** Probability of a word that is in no list. */
export const UNKNOWN_WORD_PROBABILITY = zipfProbability(VOCABULARY_SIZE);

export interface Stemming {
  /** The form of a word that is stemmed: `buy` for `bought`. */
  baseForm(word: string): string;
  /** Leaves the first two letters as they are. */
  stemOf(baseForm: string): string;
}

/**
 * Probability of each stem: that of its most frequent word. Reads the file, synchronously; its words are stemmed when a
 * stem that begins like them is asked for, as all of them take longer than most queries.
 */
export class StemProbabilities {
  readonly #stemming: Stemming;
  /** Base forms with their ranks, the most frequent first, by their first letters; until they are stemmed. */
  readonly #waiting = new Map<string, [baseForm: string, rank: number][]>();
  readonly #probabilities = new Map<string, number>();

  constructor(stemming: Stemming) {
    this.#stemming = stemming;
    const words = readFileSync(WORD_RANKS_FILE, "utf8").trimEnd().split("\n");
    for (const [index, word] of words.entries()) this.#keep(stemming.baseForm(word), index + 1);
  }

  of(stem: string): number {
    this.#stemLike(stem.slice(0, COMMON_LETTERS));
    return this.#probabilities.get(stem) ?? UNKNOWN_WORD_PROBABILITY;
  }

  #keep(baseForm: string, rank: number): void {
    const letters = baseForm.slice(0, COMMON_LETTERS);
    const alike = this.#waiting.get(letters);
    if (alike === undefined) this.#waiting.set(letters, [[baseForm, rank]]);
    else alike.push([baseForm, rank]);
  }

  #stemLike(letters: string): void {
    for (const [baseForm, rank] of this.#waiting.get(letters) ?? []) {
      const stem = this.#stemming.stemOf(baseForm);
      if (!this.#probabilities.has(stem)) this.#probabilities.set(stem, zipfProbability(rank));
    }
    this.#waiting.delete(letters);
  }
}
