export { columnsOf, vectorBatchOf } from "./columns-of.js";
export {
  decodeRows,
  encodeRows,
  type FolderLocation,
  type FolderReport,
  type RecordEntries,
  type RecordedEntry,
  type RowFile,
  recordEntries,
} from "./journal/index.js";
export { KIT_DEFAULTS, type KitOptions, KitOptionsSchema } from "./kit-options.js";
export { KitPlugin, type KitPluginParts } from "./kit-plugin.js";
export { isOutdated } from "./lifecycle/index.js";
export type { ErasedCounts, RowPage, RowPageRequest, WrittenRows } from "./operations/index.js";
export {
  type FolderFacts,
  type ManifestStore,
  type Markers,
  type Owner,
  type RecordedPart,
  type SpaceReserve,
  type StorageFacts,
  storageServices,
  type TierPlace,
} from "./place/index.js";
export type { StorageQuota, StorageQuotaOptions } from "./quotas/index.js";
export type { RetainedEntry, Retention } from "./retention.js";
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
} from "./search/index.js";
export type {
  DamagedPart,
  GenerationIds,
  OnPartBytes,
  Outdated,
  RowColumns,
  RowSink,
  RowSize,
  ScopedRow,
  Storage,
  StorageContext,
  StoragePart,
  StorageParts,
  StoredPart,
  StoredRow,
  Texts,
  VectorBatch,
  VectorStorage,
} from "./storage.js";
export { storageUnreachable, tenantDamaged } from "./storage.js";
