export { RefusedEntriesError } from "./refused-entries-error.js";
export { type StoredEntries, type StoreResult, storeEntries } from "./store.js";
export type { EntryInput } from "./store-entries.js";
export { toMemoryError } from "./to-memory-error.js";
