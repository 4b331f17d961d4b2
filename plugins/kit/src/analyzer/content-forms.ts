import { fold } from "./fold.js";
import { hexId } from "./hex-id.js";
import type { Language } from "./language.js";
import { termHash } from "./term-hash.js";
import type { Tongue } from "./tongue.js";
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
  const forms = wordForms(hexId(word) ?? word.slice(0, WORD_LENGTH_MAX));
  return forms.filter((form) => !language.isStopWord(fold(form)));
}

/** Stems of different languages are different terms: `care` is not what Spanish `caras` comes from. */
export function hashIn({ name, stem }: Tongue, form: string): number {
  return termHash(`${name}:${fold(stem(form))}`);
}
