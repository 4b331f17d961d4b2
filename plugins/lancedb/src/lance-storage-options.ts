import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";

export interface LanceStorageOptions {
  /**
   * Maximum open tables (one per tenant), 1..10000. Beyond it the least recently used table is closed.
   * @default 256
   */
  readonly openTablesMax?: number | undefined;
  /**
   * Size of LanceDB's index page cache in bytes, 1 MiB..1 TiB.
   * @default 67108864
   */
  readonly indexCacheBytes?: number | undefined;
  /**
   * Size of LanceDB's cache of manifests and file metadata in bytes, 1 MiB..1 TiB.
   * @default 67108864
   */
  readonly metadataCacheBytes?: number | undefined;
  /**
   * Number of fragments (one per append) from which a table's indexes are refreshed or it is compacted,
   * 2..10000. Indexes are also refreshed when appends stop.
   * @default 32
   */
  readonly fragmentsMax?: number | undefined;
}

export type ResolvedLanceStorageOptions = ResolvedOptions<LanceStorageOptions>;

const MIB = 1024 * 1024;
const TIB = MIB * MIB;

export const LANCE_STORAGE_DEFAULTS: ResolvedLanceStorageOptions = Object.freeze({
  openTablesMax: 256,
  indexCacheBytes: 64 * MIB,
  metadataCacheBytes: 64 * MIB,
  fragmentsMax: 32,
});

/** @throws {TypeError} For an unknown option or a value out of range. */
export function resolveLanceStorageOptions(input: LanceStorageOptions): ResolvedLanceStorageOptions {
  return resolveOptions<ResolvedLanceStorageOptions>(input, LANCE_STORAGE_DEFAULTS, {
    openTablesMax: integerOption(1, 10_000),
    indexCacheBytes: integerOption(MIB, TIB),
    metadataCacheBytes: integerOption(MIB, TIB),
    fragmentsMax: integerOption(2, 10_000),
  });
}
