import { stemmer } from "stemmer";
import { type Analyzer, createAnalyzer } from "./analyzer.js";
import { describeEnglishTime, englishMarks } from "./english-time.js";
import { ENGLISH_IRREGULAR_FORMS, ENGLISH_STOP_WORDS } from "./english-words.js";
import type { Language } from "./language.js";
import { type Stemming, StemProbabilities } from "./word-frequency.js";

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;

/**
 * Porter's stems. `bought` has the stem of `buy`. `8th` has the stem of `8`, because dates are written both
 * ways.
 */
export const ENGLISH_STEMMING: Stemming = {
  baseForm: (word) => ENGLISH_IRREGULAR_FORMS.get(word) ?? word.replace(ORDINAL, "$1"),
  stemOf: stemmer,
};

export function stemEnglish(word: string): string {
  return ENGLISH_STEMMING.stemOf(ENGLISH_STEMMING.baseForm(word));
}

/** Returns the language definition of English. */
export function englishLanguage(): Language {
  let probabilities: StemProbabilities | undefined;
  return {
    id: "english-8",
    stopWords: ENGLISH_STOP_WORDS,
    stem: stemEnglish,
    stemProbability(stem) {
      probabilities ??= new StemProbabilities(ENGLISH_STEMMING);
      return probabilities.of(stem);
    },
    describeTime: describeEnglishTime,
    marks: englishMarks,
  };
}

/**
 * Creates an analyzer for English texts. Its first query reads a word list of 77 kB from the package
 * synchronously.
 */
export function createEnglishAnalyzer(): Analyzer {
  return createAnalyzer(englishLanguage());
}
