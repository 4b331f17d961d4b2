export { countAdded, rowUsage, usageInPartition } from "./count-rows.js";
export { BackFill, type BackFillParts } from "./embedding/back-fill.js";
export { embedPending } from "./embedding/embed-pending.js";
export { isOutdated } from "./embedding/generation.js";
export {
  type DocumentIndex,
  DocumentIndexer,
  EMBEDDED_LENGTH_MAX,
  indexedContext,
  indexedText,
} from "./embedding/index-document.js";
export { reanalyse } from "./embedding/reanalyse.js";
export { Reindex } from "./embedding/reindex.js";
export { evictOverflow } from "./eviction.js";
export { Expiry } from "./expiry.js";
export { Removals } from "./removals.js";
export { replaceRows, rowAt } from "./replace-rows.js";
export { indexFewRows, indexInBackground, indexManyRows } from "./residency/background-indexing.js";
export { BodyCache } from "./residency/body-cache.js";
export { KnownScopes, LatestScopes } from "./residency/known-scopes.js";
export type { LoadedPartition } from "./residency/loaded-partition.js";
export { PartitionLoader } from "./residency/partition-loader.js";
export { PartitionRegistry } from "./residency/partition-registry.js";
export { Preload } from "./residency/preload.js";
export { ReadAhead } from "./residency/read-ahead.js";
export { clearForgotten, type SweepParts, sweep } from "./sweep.js";
export type { RowSimilarities } from "./vectors/row-similarities.js";
export { StoredVectors } from "./vectors/stored-vectors.js";
export { vectorsOfRows } from "./vectors/vectors-of-rows.js";
