export { deriveText } from "./derived-text.js";
export {
  EmbeddingSchema,
  GroupSchema,
  HashSchema,
  JsonSchema,
  type MemoryEntry,
  MemoryEntrySchema,
  MemoryKeySchema,
  type MetadataValue,
  maxFields,
  type StoreEntry,
  StoreEntrySchema,
  TagSchema,
  TimeSchema,
} from "./entry.js";
export { canonicalJson, keyHash, keyReferenceHash, type MemoryKey, normaliseKey } from "./key.js";
export {
  ExpandSchema,
  type QueryField,
  QueryFieldSchema,
  type RankingExplanation,
  RecencySchema,
  rankingShape,
} from "./ranking.js";
