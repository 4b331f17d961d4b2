export { type StoreResult, storeEntries } from "./store.js";
export type { EntryInput } from "./store-entries.js";
export { storeFailure } from "./store-failure.js";
