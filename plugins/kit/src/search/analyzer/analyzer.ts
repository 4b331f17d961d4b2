import type { Language, OtherLanguage, OtherLanguages } from "./language.js";
import { memoize, memoizeWords } from "./memo.js";
import { COUNT_FIELDS, type CountField, type PackedTerms, TermCounts, termHash } from "./packed-terms.js";
import { pathMarks, queryPaths } from "./paths.js";
import { createQueryAnalysis, type QueryTerm } from "./query-terms.js";
import { boundedText, contentForms, fold, hashIn, isPlain, PlainWords, splitWords } from "./words.js";

export type { QueryTerm } from "./query-terms.js";

const WORDS_REMEMBERED_MAX = 20_000;

interface AnalysedWord {
  readonly hashes: readonly number[];
  /** Evidence of the text's language that the word gives. */
  readonly mark: number;
}

/**
 * Counts the terms of a text into a field: the terms of the language, then the terms of each other language
 * that is recognized.
 */
function createTextAnalysis(
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

/** Visits the analysis of each word of a text. */
function wordReader(language: Language): (text: string, visit: (reading: AnalysedWord) => void) => void {
  const read = (word: string) => readWord(word, language);
  const plain = new PlainWords(read);
  const remembered = memoizeWords(read, WORDS_REMEMBERED_MAX);
  return (text, visit) => {
    if (isPlain(text)) plain.forEach(text, visit);
    else for (const word of splitWords(text)) visit(remembered(word));
  };
}

function readWord(word: string, language: Language): AnalysedWord {
  return {
    hashes: contentForms(word, language).map((form) => termHash(language.stem(fold(form)))),
    mark: language.others?.markOf(word) ?? 0,
  };
}

/** Counts the terms of words in the other recognized languages, one for every occurrence. */
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

const DAY_SECONDS = 86_400;
const DAYS_REMEMBERED_MAX = 1_024;

export interface AnalyzerInput {
  /** Text of the entry. "" for none. */
  readonly text: string;
  /** Additional words that the entry is found by. "" for none. */
  readonly context: string;
  /** Unix seconds. The entry is found by the words for this day (UTC). */
  readonly occurredAt: number | undefined;
}

/**
 * Turns texts into terms. The same input gives the same terms in every process, as long as the id stays the
 * same.
 */
export interface Analyzer {
  /** Id stored with every row. Terms of different ids are never compared. */
  readonly id: string;
  /** Returns the terms of an entry, field by field, in order of first occurrence. */
  analyze(input: AnalyzerInput): PackedTerms;
  /**
   * Returns the distinct terms of a query: its words in order, at most 64, then its marks. Empty if it has
   * only stop words.
   */
  analyzeQuery(query: string): QueryTerm[];
}

/** Creates an analyzer for a language. */
export function createAnalyzer(language: Language): Analyzer {
  const countTerms = createTextAnalysis(language);
  const termsOfQuery = createQueryAnalysis(language);
  const { marks } = language;
  const termsOfDay = memoize((day: number) => {
    const seconds = day * DAY_SECONDS;
    const counts = new TermCounts();
    countTerms(counts, language.describeTime(seconds), COUNT_FIELDS.time);
    countMarks(counts, marks?.ofTime(seconds), COUNT_FIELDS.time);
    return counts.pack();
  }, DAYS_REMEMBERED_MAX);
  const counts = new TermCounts();
  return {
    id: language.id,
    analyze({ text, context, occurredAt }) {
      counts.clear();
      countTerms(counts, text, COUNT_FIELDS.text);
      const bounded = boundedText(text);
      countMarks(counts, [...(marks?.ofText(bounded) ?? []), ...pathMarks(bounded)], COUNT_FIELDS.text);
      countTerms(counts, context, COUNT_FIELDS.context);
      if (occurredAt !== undefined) counts.addPacked(termsOfDay(Math.floor(occurredAt / DAY_SECONDS)));
      return counts.pack();
    },
    analyzeQuery(query) {
      const terms = termsOfQuery(query);
      return terms.length === 0 ? [] : [...terms, ...markTerms(query, language)];
    },
  };
}

function countMarks(counts: TermCounts, marks: readonly string[] = [], field: CountField): void {
  for (const mark of marks) counts.add(termHash(mark), field);
}

function markTerms(query: string, { marks }: Language): QueryTerm[] {
  const bounded = boundedText(query);
  const found = [...(marks?.ofQuery(bounded) ?? []), ...queryPaths(bounded)];
  return found.map(({ mark, word, prior }) => ({ hash: termHash(mark), word, prior }));
}
