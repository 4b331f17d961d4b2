export {
  type Analyzer,
  type AnalyzerInput,
  createAnalyzer,
  type QueryTerm,
} from "./analyzer.js";
export { createEnglishAnalyzer } from "./english.js";
export type { Language, OtherLanguages } from "./language.js";
export { createMultilingualAnalyzer } from "./multilingual.js";
export type { PackedTerms } from "./packed-terms.js";
export { hashesOf } from "./query-terms.js";
