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
} from "./analyzer/index.js";
export { columnsOf } from "./columns-of.js";
export { type DirectoryLock, lockDirectory } from "./directory/directory-lock.js";
export { isOutdated } from "./generation/outdated.js";
export type { KitOptions } from "./kit-options.js";
export { KitPlugin, type KitPluginParts } from "./kit-plugin.js";
export { fileLog } from "./log/file-log.js";
export type { FileLogOptions } from "./log/file-log-options.js";
export type { Durability, OpenLog } from "./log/log.js";
export type { HeldEntry, Retention } from "./retention.js";
export type { Row } from "./row.js";
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
