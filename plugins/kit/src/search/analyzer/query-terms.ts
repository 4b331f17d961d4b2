import type { Language } from "./language.js";
import { memoizeWords } from "./memo.js";
import { termHash } from "./packed-terms.js";
import { boundedText, contentForms, fold, hashIn, splitWords } from "./words.js";

/** Limit of the terms of a query. The first ones count. */
const QUERY_TERM_COUNT_MAX = 64;
const WORDS_REMEMBERED_MAX = 20_000;

export interface QueryTerm {
  readonly hash: number;
  /**
   * Other hashes that the word may be stored as: its stems in other languages. Only the best match counts,
   * once.
   */
  readonly alternatives?: readonly number[];
  /** The query's word in lower case and without accents. */
  readonly word: string;
  /** Probability of the word in general language, above 0 and below 1. */
  readonly prior: number;
}

/** Returns all hashes that the terms of a query may be stored under. */
export function hashesOf(terms: readonly QueryTerm[]): number[] {
  return terms.flatMap(({ hash, alternatives = [] }) => [hash, ...alternatives]);
}

/** Returns a function that turns queries into their distinct terms, in order, at most 64. */
export function createQueryAnalysis(language: Language): (query: string) => QueryTerm[] {
  const alternativesOf = memoizeWords(
    (form) => (language.others?.of(form) ?? []).map((other) => hashIn(other, form)),
    WORDS_REMEMBERED_MAX,
  );
  return (query) => {
    const terms = new Map<number, QueryTerm>();
    for (const form of queryForms(query, language)) {
      if (terms.size === QUERY_TERM_COUNT_MAX) break;
      const word = fold(form);
      const stem = language.stem(word);
      const hash = termHash(stem);
      if (terms.has(hash)) continue;
      const alternatives = alternativesOf(form);
      const term = { hash, word: word.toWellFormed(), prior: language.stemProbability(stem) };
      terms.set(hash, alternatives.length === 0 ? term : { ...term, alternatives });
    }
    return [...terms.values()];
  };
}

/**
 * Returns the word forms of a query without the stop words of the languages it is certainly in. Stop words
 * stay if the query has no other words.
 */
function queryForms(query: string, language: Language): string[] {
  const words = splitWords(boundedText(query));
  const forms = words.flatMap((word) => contentForms(word, language));
  const { others } = language;
  const marks = others === undefined ? [] : words.map((word) => others.markOf(word));
  const recognized = others?.recognize(marks, "query") ?? [];
  const content = forms.filter((form) => !recognized.some(({ stopWords }) => stopWords.has(form)));
  return content.length === 0 ? forms : content;
}
