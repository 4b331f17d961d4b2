export {
  type Analyzer,
  type AnalyzerInput,
  createAnalyzer,
  type QueryTerm,
} from "./analyzer.js";
export { createEnglishAnalyzer } from "./english.js";
export type { Language } from "./language.js";
export type { PackedTerms } from "./packed-terms.js";
