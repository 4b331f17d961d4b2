import { fold } from "./fold.js";
import type { Language, OtherLanguage } from "./language.js";
import { termHash } from "./packed-terms.js";
import { wordForms } from "./words.js";

/** UTF-16 units of a text, a context or a query that are analysed: about 2,500 words. The rest is not found. */
const ANALYZED_LENGTH_MAX = 16_384;
/** UTF-16 units of a word that tell it from another; the rest of a longer one is ignored. */
const WORD_LENGTH_MAX = 64;

/** As much of a text as is analysed. */
export function boundedText(text: string): string {
  return text.slice(0, ANALYZED_LENGTH_MAX);
}

/** The lower-case forms of a word, with accents; none of a stop word. */
export function contentForms(word: string, language: Language): string[] {
  return wordForms(word.slice(0, WORD_LENGTH_MAX)).filter((form) => !language.stopWords.has(fold(form)));
}

/** Stems of different languages are different terms: `care` is not what Spanish `caras` comes from. */
export function hashIn({ name, stem }: OtherLanguage, form: string): number {
  return termHash(`${name}:${fold(stem(form))}`);
}
