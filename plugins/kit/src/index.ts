export {
  type Analyzer,
  type AnalyzerInput,
  createAnalyzer,
  createEnglishAnalyzer,
  createMultilingualAnalyzer,
  hashesOf,
  type Language,
  type PackedTerms,
  type QueryTerm,
} from "./analyzer/index.js";
export { columnsOf } from "./columns-of.js";
export { isOutdated } from "./generation/outdated.js";
export { KIT_DEFAULTS, type KitOptions, resolveKitOptions } from "./kit-options.js";
export { type DurableParts, KitPlugin, type KitPluginParts } from "./kit-plugin.js";
export { type FileLog, openFileLog } from "./log/file-log.js";
export { FILE_LOG_DEFAULTS, type FileLogOptions } from "./log/file-log-options.js";
export type { Durability, Log, LogRecovery, LogStats, OnRecord } from "./log/log.js";
export { Partition, type PartitionOptions } from "./partition/partition.js";
export { type RankCorpus, type RankQuery, rank } from "./rank/index.js";
export type { HeldEntry, Retention } from "./retention.js";
export type { Row, RowBody, RowFacets } from "./row.js";
export type { GenerationIds, Outdated, RowColumns, RowSink, ScopedRow, Storage, Texts } from "./storage.js";
