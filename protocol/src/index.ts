export * from "./clock.js";
export * from "./codec.js";
export * from "./criteria.js";
export * from "./derived-text.js";
export {
  EXTENSION_FIELDS,
  type MemoryEntry,
  MemoryEntrySchema,
  MemoryKeySchema,
  type MetadataValue,
  type Neighbours,
  type StoreEntry,
  StoreEntrySchema,
} from "./entry.js";
export { CONTENT_TYPE_HEADER, PROTOCOL_VERSION } from "./envelope.js";
export { ERROR_CATALOGUE, type ErrorCode } from "./error-catalogue.js";
export * from "./error-message.js";
export * from "./event.js";
export {
  type EntryExplanation,
  EntryExplanationSchema,
  type RankingExplanation,
  RankingExplanationSchema,
} from "./explanation.js";
export * from "./filter.js";
export * from "./forget.js";
export * from "./json.js";
export { guardJson } from "./json-guard.js";
export * from "./key.js";
export * from "./limits.js";
export * from "./manifest.js";
export * from "./memory-error.js";
export * from "./message-types.js";
export * from "./namespace.js";
export * from "./nearest-name.js";
export * from "./ping.js";
export type * from "./plugin.js";
export * from "./plugin-module.js";
export * from "./plugin-problem.js";
export type * from "./ports.js";
export * from "./position.js";
export * from "./reindex-progress.js";
export * from "./request.js";
export * from "./request-digest.js";
export * from "./resolve-options.js";
export * from "./retrieve.js";
export * from "./scope.js";
export { silentLogger } from "./silent-logger.js";
export * from "./status.js";
export * from "./steering.js";
export * from "./store.js";
export * from "./subjects.js";
export * from "./tier.js";
export * from "./until-aborted.js";
export { checkWhere, WhereSchema } from "./where.js";
