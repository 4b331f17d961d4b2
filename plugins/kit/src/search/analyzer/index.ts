export { type Analyzer, type AnalyzerInput, createAnalyzer, type QueryTerm } from "./analyzer.js";
export { createEnglishAnalyzer, englishLanguage } from "./english.js";
export type { Language, OtherLanguage, OtherLanguages } from "./language.js";
export type { PackedTerms } from "./packed-terms.js";
export { hashesOf } from "./query-terms.js";
export { fold } from "./words.js";
