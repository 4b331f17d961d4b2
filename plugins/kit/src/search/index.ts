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
export { namedSlots } from "./partition/named-slots.js";
export { Partition, type PartitionOptions } from "./partition/partition.js";
export { PreparedFilter, prepareLook } from "./partition/prepared-filter.js";
export type { RemovedRow } from "./partition/removed-row.js";
export type { FoundRow } from "./partition/rows-that.js";
export type { SlotColumns } from "./partition/slot-columns.js";
export type { Slots } from "./partition/slot-list.js";
export { partitionRowsMaxOf } from "./partition/vectors.js";
export {
  type CosineScale,
  cosineScale,
  EvidenceSieve,
  evidenceFor,
  explainSlots,
  type RankCorpus,
  type RankQuery,
  relevance,
  type SieveLimits,
  type SlotExplanation,
  similarity,
} from "./rank/index.js";
export { unitVector } from "./unit-vector.js";
