export {
  type Analyzer,
  type AnalyzerInput,
  createAnalyzer,
  createEnglishAnalyzer,
  englishLanguage,
  fold,
  hashesOf,
  type Language,
  type OtherLanguage,
  type OtherLanguages,
  type QueryTerm,
} from "./analyzer/index.js";
export { COUNT_FIELDS, fieldCount, type PackedTerms } from "./analyzer/packed-terms.js";
export { lowerBound } from "./lower-bound.js";
export type { FoundRow } from "./partition/find-rows.js";
export { namedSlots } from "./partition/named-slots.js";
export { Partition, type PartitionOptions } from "./partition/partition.js";
export { PreparedFilter, prepareScan } from "./partition/prepared-filter.js";
export type { RemovedRow } from "./partition/removed-row.js";
export type { SlotColumns } from "./partition/slot-columns.js";
export type { Slots } from "./partition/slot-list.js";
export { growArray } from "./partition/typed-arrays.js";
export { partitionRowsMaxOf } from "./partition/vectors.js";
export { passageFinder } from "./passages/best-passage.js";
export type { Passage } from "./passages/divide-text.js";
export {
  type CosineScale,
  cosineScale,
  evidenceFor,
  explainSlots,
  type PrefilterLimits,
  type PrefilterQuery,
  QuantizedPrefilter,
  type RankCorpus,
  relevance,
  type SlotExplanation,
  similarity,
  wordScores,
} from "./rank/index.js";
export { unitVector } from "./unit-vector.js";
