/** What analysis needs to know of a language. Every part is a pure function of its argument. */
export interface Language {
  /** Part of the analyzer's id: changes whenever a term would. */
  readonly id: string;
  /** Lower-case words without accents that are too common to tell entries apart. */
  readonly stopWords: ReadonlySet<string>;
  /** What the forms of a lower-case word without accents have in common. */
  stem(word: string): string;
  /** Probability of the words of a stem among the words of the language, above 0 and below 1. */
  stemProbability(stem: string): number;
  /** The words people use for a day, told by the Unix seconds of its beginning (UTC); "" outside the calendar. */
  describeTime(seconds: number): string;
  /** What a language finds besides words. */
  readonly marks?: Marks;
  /** Languages that a text may be in instead, or as well. */
  readonly others?: OtherLanguages;
}

/** Terms of a text that is recognised as one of these are found besides those of the language itself. */
export interface OtherLanguages {
  /** What a word says of its text's language: above 0 it is evidence of others; 0 is nothing. */
  markOf(word: string): number;
  /**
   * Languages by the marks of all words, in any order, the likeliest first: those that a text may be in, to find it by
   * their stems, too; those that a query is surely in, to drop their stop words.
   */
  recognize(marks: readonly number[], what: "text" | "query"): readonly OtherLanguage[];
  /** All that a lower-case word may be in. */
  of(word: string): readonly OtherLanguage[];
}

export interface OtherLanguage {
  /** Part of its stored terms. */
  readonly name: string;
  /** Lower-case, as the language writes them. */
  readonly stopWords: ReadonlySet<string>;
  /** Stem of a lower-case word with its accents. */
  stem(word: string): string;
}

/** A term of a query that is no word. */
export interface QueryMark {
  readonly mark: string;
  /** What it stands for, as an explanation shows it. */
  readonly word: string;
  /** Probability as of a word. */
  readonly prior: number;
}

/** Terms that are no words: each has a character that no word has. */
export interface Marks {
  ofText(text: string): string[];
  /** Of Unix seconds; a mark that stands there twice counts twice. */
  ofTime(seconds: number): string[];
  ofQuery(query: string): QueryMark[];
}
