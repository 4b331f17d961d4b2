/** What analysis needs to know of a language. Every part is a pure function of its argument. */
export interface Language {
  /** Part of the analyzer's id: changes whenever a term would. */
  readonly id: string;
  /** Words as they stand in a text, accents and compatibility characters unified, case kept. */
  splitWords(text: string): string[];
  /** Whether a lower-case word is too common to tell entries apart. */
  isStopWord(word: string): boolean;
  /** What the forms of a lower-case word have in common. */
  stem(word: string): string;
  /** Probability of the words of a stem among the words of the language, above 0 and below 1. */
  stemProbability(stem: string): number;
  /** Unix seconds as the words people use for a day (UTC); "" for a time outside the calendar. */
  describeTime(seconds: number): string;
}
