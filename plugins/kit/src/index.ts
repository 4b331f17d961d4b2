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
  type PackedTerms,
  type QueryTerm,
} from "./analyzer/index.js";
export { columnsOf } from "./columns-of.js";
export { type DirectoryLock, lockDirectory } from "./directory/directory-lock.js";
export { isOutdated } from "./generation/outdated.js";
export { KIT_DEFAULTS, type KitOptions, resolveKitOptions } from "./kit-options.js";
export { KitPlugin, type KitPluginParts } from "./kit-plugin.js";
export { type FileLog, fileLog, openFileLog } from "./log/file-log.js";
export { FILE_LOG_DEFAULTS, type FileLogOptions } from "./log/file-log-options.js";
export type { Durability, Log, LogRecovery, LogStats, OnRecord, OpenLog } from "./log/log.js";
export { Partition, type PartitionOptions } from "./partition/partition.js";
export { type RankCorpus, type RankQuery, rank } from "./rank/index.js";
export type { HeldEntry, Retention } from "./retention.js";
export type { FormerVector, Row, RowBody, RowFacets } from "./row.js";
export type {
  GenerationIds,
  Outdated,
  RowColumns,
  RowSink,
  ScopedRow,
  Storage,
  StoragePlace,
  Texts,
} from "./storage.js";
