import { boundedText, contentForms, hashIn } from "./content-forms.js";
import { fold } from "./fold.js";
import type { Language, OtherLanguage, OtherLanguages } from "./language.js";
import { memoizeWords } from "./memo.js";
import { type CountField, termHash } from "./packed-terms.js";
import { PlainWords } from "./plain-words.js";
import type { TermCounts } from "./term-counts.js";
import { isPlain, splitWords } from "./words.js";

const WORDS_REMEMBERED_MAX = 20_000;

interface WordReading {
  readonly hashes: readonly number[];
  /** What the word says of its text's language. */
  readonly mark: number;
}

/** Counts the terms of a text into a field: those of the language, then those of each other that it is recognised as. */
export function createTextAnalysis(
  language: Language,
): (counts: TermCounts, text: string, field: CountField) => void {
  const forEachWord = wordReader(language);
  const countOthers = otherTermCounts(language);
  return (counts, unbounded, field) => {
    const text = boundedText(unbounded);
    const marks: number[] = [];
    forEachWord(text, ({ hashes, mark }) => {
      if (mark !== 0) marks.push(mark);
      for (const hash of hashes) counts.add(hash, field);
    });
    countOthers(counts, text, marks, field);
  };
}

/** Visits what each word of a text reads as. */
function wordReader(language: Language): (text: string, visit: (reading: WordReading) => void) => void {
  const read = (word: string) => readWord(word, language);
  const plain = new PlainWords(read);
  const remembered = memoizeWords(read, WORDS_REMEMBERED_MAX);
  return (text, visit) => {
    if (isPlain(text)) plain.forEach(text, visit);
    else for (const word of splitWords(text)) visit(remembered(word));
  };
}

function readWord(word: string, language: Language): WordReading {
  return {
    hashes: contentForms(word, language).map((form) => termHash(language.stem(fold(form)))),
    mark: language.others?.markOf(word) ?? 0,
  };
}

/** Counts terms of words in the other languages that their marks tell, one for every occurrence. */
function otherTermCounts(
  language: Language,
): (counts: TermCounts, text: string, marks: readonly number[], field: CountField) => void {
  const { others } = language;
  if (others === undefined) return () => {};
  const hashesByOther = new Map<OtherLanguage, (word: string) => readonly number[]>();
  const hashesIn = (other: OtherLanguage) => {
    const known = hashesByOther.get(other);
    if (known !== undefined) return known;
    const hashes = memoizeWords((word) => hashesOfWord(word, language, others, other), WORDS_REMEMBERED_MAX);
    hashesByOther.set(other, hashes);
    return hashes;
  };
  return (counts, text, marks, field) => {
    const recognized = others.recognize(marks, "text");
    if (recognized.length === 0) return;
    const words = splitWords(text);
    const hashes = recognized.flatMap((other) => words.flatMap((word) => hashesIn(other)(word)));
    for (const hash of hashes) counts.add(hash, field);
  };
}

function hashesOfWord(
  word: string,
  language: Language,
  others: OtherLanguages,
  other: OtherLanguage,
): number[] {
  return contentForms(word, language)
    .filter((form) => !other.stopWords.has(form) && others.of(form).includes(other))
    .map((form) => hashIn(other, form));
}
