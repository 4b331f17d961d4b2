export * from "./clock.js";
export * from "./codec/index.js";
export * from "./entry/derived-text.js";
export {
  EXTENSION_FIELDS,
  type MemoryEntry,
  MemoryEntrySchema,
  MemoryKeySchema,
  type MetadataValue,
  type Neighbours,
  type StoreEntry,
  StoreEntrySchema,
} from "./entry/entry.js";
export * from "./entry/key.js";
export {
  type EntryExplanation,
  EntryExplanationSchema,
  type Expand,
  ExpandSchema,
  importanceFactor,
  type QueryField,
  QueryFieldSchema,
  type RankingExplanation,
  RankingExplanationSchema,
  type Recency,
  RecencySchema,
  type Snippet,
} from "./entry/ranking.js";
export { ERROR_CATALOGUE, type ErrorCode } from "./error-catalogue.js";
export * from "./filter/criteria.js";
export * from "./filter/filter.js";
export { checkWhere, WhereSchema } from "./filter/where.js";
export { InFlightCounter } from "./in-flight-counter.js";
export { isJsonObject, type Json, type JsonObject, validateJson } from "./json.js";
export * from "./limits.js";
export * from "./memory-error.js";
export * from "./messages/agents.js";
export {
  CONTENT_TYPE_HEADER,
  type Ping,
  PingSchema,
  type Pong,
  PongSchema,
  PROTOCOL_VERSION,
} from "./messages/envelope.js";
export * from "./messages/error-message.js";
export * from "./messages/event.js";
export * from "./messages/forget.js";
export * from "./messages/list.js";
export * from "./messages/message-types.js";
export * from "./messages/retrieve.js";
export * from "./messages/status.js";
export * from "./messages/store.js";
export * from "./options/nearest-name.js";
export * from "./options/option.js";
export * from "./options/option-set.js";
export * from "./options/quota-table.js";
export * from "./scope.js";
export { silentLogger } from "./silent-logger.js";
export * from "./subjects.js";
