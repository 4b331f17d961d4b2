import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";

export interface LanceStorageOptions {
  /**
   * Tables (one a tenant) open at a time; past it the least recently used one closes. 1..10000.
   * @default 256
   */
  readonly openTablesMax?: number | undefined;
  /**
   * LanceDB's cache of index pages. Bytes, 1 MiB..1 TiB.
   * @default 67108864
   */
  readonly indexCacheBytes?: number | undefined;
  /**
   * LanceDB's cache of manifests and file metadata. Bytes, 1 MiB..1 TiB.
   * @default 67108864
   */
  readonly metadataCacheBytes?: number | undefined;
  /**
   * Fragments (one an append) that a table may gather before its indexes are refreshed or it is compacted. 2..10000.
   * Indexes are also refreshed once nothing comes any more.
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

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveLanceStorageOptions(input: LanceStorageOptions): ResolvedLanceStorageOptions {
  return resolveOptions<ResolvedLanceStorageOptions>(input, LANCE_STORAGE_DEFAULTS, {
    openTablesMax: integerOption(1, 10_000),
    indexCacheBytes: integerOption(MIB, TIB),
    metadataCacheBytes: integerOption(MIB, TIB),
    fragmentsMax: integerOption(2, 10_000),
  });
}
