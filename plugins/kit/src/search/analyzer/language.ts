/** Definition of a language for analysis. Every function is pure. */
export interface Language {
  /** Part of the analyzer's id. It must change whenever a term changes. */
  readonly id: string;
  /** Lower-case words without accents that are too common to distinguish entries. */
  readonly stopWords: ReadonlySet<string>;
  /** Returns the stem of a lower-case word without accents. */
  stem(word: string): string;
  /** Probability of the words of a stem among the words of the language, above 0 and below 1. */
  stemProbability(stem: string): number;
  /**
   * Returns the words people use for a day, given the Unix seconds of its start (UTC). "" outside the
   * calendar.
   */
  describeTime(seconds: number): string;
  /** Additional terms that are not words. */
  readonly marks?: Marks;
  /** Languages that a text may be in instead or in addition. */
  readonly others?: OtherLanguages;
}

/**
 * Other languages of an analyzer. A text that is recognized as one of them gets that language's terms in
 * addition.
 */
export interface OtherLanguages {
  /** Returns a word's evidence about its text's language: above 0 for another language, 0 for none. */
  markOf(word: string): number;
  /**
   * Returns the languages recognized from the marks of all words (in any order), the most likely first. For a
   * text: the languages it may be in, to add their stems. For a query: the languages it is certainly in, to
   * drop their stop words.
   */
  recognize(marks: readonly number[], what: "text" | "query"): readonly OtherLanguage[];
  /** Returns all languages that a lower-case word may be in. */
  of(word: string): readonly OtherLanguage[];
}

export interface OtherLanguage {
  /** Part of its stored terms. */
  readonly name: string;
  /** Lower-case, with accents. */
  readonly stopWords: ReadonlySet<string>;
  /** Returns the stem of a lower-case word with its accents. */
  stem(word: string): string;
}

/** A query term that is not a word. */
export interface QueryMark {
  readonly mark: string;
  /** Text shown in explanations. */
  readonly word: string;
  /** Probability, as for a word. */
  readonly prior: number;
}

/** Terms that are not words. Each contains a character that no word contains. */
export interface Marks {
  ofText(text: string): string[];
  /** Returns the marks of a time in Unix seconds. A repeated mark counts repeatedly. */
  ofTime(seconds: number): string[];
  ofQuery(query: string): QueryMark[];
}
