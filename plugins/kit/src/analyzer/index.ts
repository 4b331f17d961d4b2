export {
  ANALYZED_LENGTH_MAX,
  type Analyzer,
  type AnalyzerInput,
  createAnalyzer,
  QUERY_TERM_COUNT_MAX,
  type QueryTerm,
  WORD_LENGTH_MAX,
} from "./analyzer.js";
export { createEnglishAnalyzer } from "./english.js";
export type { Language } from "./language.js";
export { FIELD_SHIFT, fieldCount, type PackedTerms } from "./packed-terms.js";
