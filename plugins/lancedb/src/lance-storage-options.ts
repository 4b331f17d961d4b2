import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";

const MIB = 1024 * 1024;
const TIB = MIB * MIB;

export const LanceStorageOptionsSchema = optionSet({
  /** Maximum open tables (one per tenant). Beyond it the least recently used table is closed. */
  openTablesMax: option.integer(1, 10_000).default(256),
  /** Size of LanceDB's index page cache in bytes. */
  indexCacheBytes: option.integer(MIB, TIB).default(64 * MIB),
  /** Size of LanceDB's cache of manifests and file metadata in bytes. */
  metadataCacheBytes: option.integer(MIB, TIB).default(64 * MIB),
  /**
   * Number of fragments (one per append) from which a table's indexes are refreshed or it is compacted.
   * Indexes are also refreshed when appends stop.
   */
  fragmentsMax: option.integer(2, 10_000).default(32),
});

export interface LanceStorageOptions extends OptionsOf<typeof LanceStorageOptionsSchema> {}
export interface ResolvedLanceStorageOptions extends ResolvedOptionsOf<typeof LanceStorageOptionsSchema> {}

export const LANCE_STORAGE_DEFAULTS: ResolvedLanceStorageOptions = parseOptions(
  LanceStorageOptionsSchema,
  {},
);
