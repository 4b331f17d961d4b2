import type { Language } from "./language.js";
import { memoize } from "./memo.js";
import { addOccurrence, FIELD_SHIFT, type PackedTerms, packTerms } from "./packed-terms.js";
import { termHash } from "./term-hash.js";
import { wordForms } from "./words.js";

/** UTF-16 units of a text, a context or a query that are analysed: about 10,000 words. The rest is not found. */
const ANALYZED_LENGTH_MAX = 65_536;
/** UTF-16 units of a word that tell it from another; the rest of a longer one is ignored. */
const WORD_LENGTH_MAX = 64;
/** Terms of a query that count: the first ones. */
const QUERY_TERM_COUNT_MAX = 64;

const WORDS_REMEMBERED_MAX = 20_000;

export interface AnalyzerInput {
  /** What the entry says; "" for nothing. */
  readonly text: string;
  /** What helps to find it; "" for nothing. */
  readonly context: string;
  /** Unix seconds; its day (UTC) is found by the words for it. */
  readonly occurredAt: number | undefined;
}

export interface QueryTerm {
  readonly hash: number;
  /** As the query has it, in lower case and without accents. */
  readonly word: string;
  /** Probability of the word in general language, above 0 and below 1. */
  readonly prior: number;
}

/** Turns texts into terms. The same input gives the same terms in every process, for as long as the id is the same. */
export interface Analyzer {
  /** Stored with every row: terms of different ids are never compared. */
  readonly id: string;
  /** Terms of an entry, in order of first occurrence. */
  analyze(input: AnalyzerInput): PackedTerms;
  /** The distinct terms of a query: its words in order, at most 64, then its marks; empty when it has stop words only. */
  analyzeQuery(query: string): QueryTerm[];
}

/** Builds an analyzer from what it must know of a language. */
export function createAnalyzer(language: Language): Analyzer {
  const termHashes = memoize(
    (word) => contentForms(word, language).map((form) => termHash(language.stem(form))),
    WORDS_REMEMBERED_MAX,
  );
  const countTerms = (counts: Map<number, number>, text: string, shift: number) => {
    for (const word of boundedWords(text, language)) {
      for (const hash of termHashes(word)) counts.set(hash, addOccurrence(counts.get(hash) ?? 0, shift));
    }
  };
  return {
    id: language.id,
    analyze({ text, context, occurredAt }) {
      const counts = new Map<number, number>();
      countTerms(counts, text, FIELD_SHIFT.text);
      countMarks(counts, language.marks?.ofText(text.slice(0, ANALYZED_LENGTH_MAX)), FIELD_SHIFT.text);
      countTerms(counts, context, FIELD_SHIFT.context);
      if (occurredAt !== undefined) {
        countTerms(counts, language.describeTime(occurredAt), FIELD_SHIFT.time);
        countMarks(counts, language.marks?.ofTime(occurredAt), FIELD_SHIFT.time);
      }
      return packTerms(counts);
    },
    analyzeQuery(query) {
      const terms = queryTerms(query, language);
      return terms.length === 0 ? [] : [...terms, ...markTerms(query, language)];
    },
  };
}

function countMarks(counts: Map<number, number>, marks: readonly string[] = [], shift: number): void {
  for (const mark of marks) {
    const hash = termHash(mark);
    counts.set(hash, addOccurrence(counts.get(hash) ?? 0, shift));
  }
}

function markTerms(query: string, { marks }: Language): QueryTerm[] {
  const found = marks?.ofQuery(query.slice(0, ANALYZED_LENGTH_MAX)) ?? [];
  return found.map(({ mark, word, prior }) => ({ hash: termHash(mark), word, prior }));
}

function queryTerms(query: string, language: Language): QueryTerm[] {
  const terms = new Map<number, QueryTerm>();
  for (const word of boundedWords(query, language).flatMap((whole) => contentForms(whole, language))) {
    if (terms.size === QUERY_TERM_COUNT_MAX) break;
    const stem = language.stem(word);
    const hash = termHash(stem);
    if (!terms.has(hash)) terms.set(hash, { hash, word, prior: language.stemProbability(stem) });
  }
  return [...terms.values()];
}

function boundedWords(text: string, language: Language): string[] {
  return language.splitWords(text.slice(0, ANALYZED_LENGTH_MAX));
}

function contentForms(word: string, language: Language): string[] {
  return wordForms(word.slice(0, WORD_LENGTH_MAX)).filter((form) => !language.isStopWord(form));
}
