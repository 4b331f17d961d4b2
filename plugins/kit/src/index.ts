export { columnsOf } from "./columns-of.js";
export { type DirectoryLock, lockDirectory } from "./journal/directory/directory-lock.js";
export { fileLog } from "./journal/log/file-log.js";
export { FILE_LOG_DEFAULTS, type FileLogOptions } from "./journal/log/file-log-options.js";
export type { Durability, OpenLog } from "./journal/log/log.js";
export type { KitOptions } from "./kit-options.js";
export { KitPlugin, type KitPluginParts } from "./kit-plugin.js";
export { isOutdated } from "./lifecycle/embedding/outdated.js";
export type { HeldEntry, Retention } from "./retention.js";
export { eachNumber, NUMBER_COLUMNS, NUMBER_FIELDS, type Row } from "./row.js";
export {
  type Analyzer,
  type AnalyzerInput,
  createAnalyzer,
  createEnglishAnalyzer,
  englishLanguage,
  fold,
  type Language,
  type OtherLanguage,
  type OtherLanguages,
} from "./search/analyzer/index.js";
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
