export {
  createLanceStorage,
  type LanceStorageContext,
} from "./lance-storage.js";
export {
  LANCE_STORAGE_DEFAULTS,
  type LanceStorageOptions,
  LanceStorageOptionsSchema,
} from "./lance-storage-options.js";
export {
  createLanceDbPlugin,
  createReadOnlyLanceDbPlugin,
  type LanceDbPluginOptions,
} from "./lancedb-plugin.js";
export { toArrowTable } from "./rows/arrow-batch.js";
export { LOADED_COLUMNS, tableSchema } from "./rows/schema.js";
export type { TableStore } from "./store/table-store.js";
