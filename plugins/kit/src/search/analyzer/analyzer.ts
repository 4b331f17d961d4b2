import { boundedText } from "./content-forms.js";
import type { Language } from "./language.js";
import { memoize } from "./memo.js";
import { COUNT_FIELDS, type CountField, type PackedTerms, termHash } from "./packed-terms.js";
import { createQueryAnalysis, type QueryTerm } from "./query-terms.js";
import { TermCounts } from "./term-counts.js";
import { createTextAnalysis } from "./text-terms.js";

export type { QueryTerm } from "./query-terms.js";

const DAY_SECONDS = 86_400;
const DAYS_REMEMBERED_MAX = 1_024;

export interface AnalyzerInput {
  /** What the entry says; "" for nothing. */
  readonly text: string;
  /** What helps to find it; "" for nothing. */
  readonly context: string;
  /** Unix seconds; its day (UTC) is found by the words for it. */
  readonly occurredAt: number | undefined;
}

/** Turns texts into terms. The same input gives the same terms in every process, for as long as the id is the same. */
export interface Analyzer {
  /** Stored with every row: terms of different ids are never compared. */
  readonly id: string;
  /** Terms of an entry, field by field in order of first occurrence. */
  analyze(input: AnalyzerInput): PackedTerms;
  /** The distinct terms of a query: its words in order, at most 64, then its marks; empty when it has stop words only. */
  analyzeQuery(query: string): QueryTerm[];
}

/** Builds an analyzer from what it must know of a language. */
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
      countMarks(counts, marks?.ofText(boundedText(text)), COUNT_FIELDS.text);
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
  const found = marks?.ofQuery(boundedText(query)) ?? [];
  return found.map(({ mark, word, prior }) => ({ hash: termHash(mark), word, prior }));
}
