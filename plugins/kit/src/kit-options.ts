import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";

export interface KitOptions {
  /**
   * Memory limit of loaded partitions. Above it, the least recently used partitions are unloaded. Partitions
   * that are in use, are not flushed, or are the only one stay loaded. A million entries take about 2 GiB.
   * Bytes, 1 MiB..1 TiB.
   * @default 3221225472
   */
  readonly residentBytesMax?: number | undefined;
  /**
   * Partitions that are loaded as soon as the tier is open: the most recently written ones. 0..1000. 0
   * disables preloading.
   * @default 4
   */
  readonly preloadCount?: number | undefined;
  /**
   * Size of the cache of contents read from disk. Bytes, 64 KiB..1 TiB.
   * @default 134217728
   */
  readonly bodyCacheBytes?: number | undefined;
  /**
   * Limit of the scope names kept in RAM, about 300 bytes each. Above it, the scopes of the least recently
   * used tenants are dropped and read from disk again when needed. Checked at each maintenance run.
   * 1..100,000,000.
   * @default 500000
   */
  readonly knownScopeCountMax?: number | undefined;
  /**
   * Limit of the entries of one partition. A store above it fails with `memory_full`. 1..2,000,000.
   * @default 2000000
   */
  readonly partitionRowsMax?: number | undefined;
  /**
   * Limit of the keys, tags and metadata of one partition's entries, which are in RAM while it is loaded.
   * Above it, new entries and longer metadata fail with `memory_full`. Bytes, 1 MiB..64 GiB.
   * @default 1073741824
   */
  readonly partitionBytesMax?: number | undefined;
  /**
   * Limit of the vectors of one partition, which are in RAM while it is loaded. Long vectors therefore leave
   * space for fewer entries than `partitionRowsMax`: 2,000,000 with 384 components, about 560,000 with 1,536.
   * Bytes, 64 KiB..1 TiB.
   * @default 4294967296
   */
  readonly partitionVectorBytesMax?: number | undefined;
  /**
   * Time that a store waits for its embedder. Entries that are not embedded by then are embedded in the
   * background. Milliseconds, 1..60000.
   * @default 1000
   */
  readonly embedWaitMs?: number | undefined;
  /**
   * Time that a query waits for its reranker. After it, results are returned in the original order.
   * Milliseconds, 1..60000.
   * @default 2000
   */
  readonly rerankWaitMs?: number | undefined;
  /**
   * Delay before a failed embedder is called again. Milliseconds, 10..3600000.
   * @default 5000
   */
  readonly embedRetryMs?: number | undefined;
  /**
   * Rate limit for rows that are embedded or analysed again in the background, so that requests keep a share
   * of the provider's limits. Rows per second, 1..1000000.
   * @default 2000
   */
  readonly reindexRowsPerSecondMax?: number | undefined;
  /**
   * Number of logged rows that triggers an immediate flush. 1..50000.
   * @default 8192
   */
  readonly flushCount?: number | undefined;
  /**
   * Time after a store until the logged rows are flushed. Milliseconds, 1..3600000.
   * @default 2000
   */
  readonly flushIdleMs?: number | undefined;
  /**
   * Limit of the rows that wait to be flushed. A store above it fails with `overloaded`. 1..1,000,000.
   * @default 50000
   */
  readonly backlogCountMax?: number | undefined;
  /**
   * Limit of the bytes that wait to be flushed. A store above it fails with `overloaded`. Bytes, 1 MiB..4
   * GiB.
   * @default 67108864
   */
  readonly backlogBytesMax?: number | undefined;
  /**
   * Size of a reserve file in the tier's folder. When the disk is full, the file is released so that
   * forgotten entries can be erased and the tier can open. Until space is free again, stores fail with
   * `memory_full`. Bytes, 0..1 GiB. 0 disables the reserve.
   * @default 33554432
   */
  readonly diskReserveBytes?: number | undefined;
  /**
   * Time that the reply of an operation is kept for its retries. Seconds, 1..86400.
   * @default 600
   */
  readonly operationWindowS?: number | undefined;
  /**
   * Time that bytes of forgotten or expired entries may stay in the folder of a running tier with writable
   * files. After half of this time (or one minute before its end, if that is later) the log is also
   * rewritten. Cached replies are then logged again. Copies made by `repair` and `acceptLoss` are not erased.
   * Seconds, 2..86400.
   * @default 300
   */
  readonly eraseWithinS?: number | undefined;
  /**
   * Limit of the remembered operations. 1..10,000,000.
   * @default 1000000
   */
  readonly operationCountMax?: number | undefined;
  /**
   * Limit of the cached replies of a tier in memory. Bytes, 1 MiB..4 GiB.
   * @default 67108864
   */
  readonly operationBytesMax?: number | undefined;
}

export type ResolvedKitOptions = ResolvedOptions<KitOptions>;

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const KIT_DEFAULTS: ResolvedKitOptions = Object.freeze({
  residentBytesMax: 3 * GIB,
  preloadCount: 4,
  bodyCacheBytes: 128 * MIB,
  knownScopeCountMax: 500_000,
  partitionRowsMax: 2_000_000,
  partitionBytesMax: GIB,
  partitionVectorBytesMax: 4 * GIB,
  embedWaitMs: 1_000,
  rerankWaitMs: 2_000,
  embedRetryMs: 5_000,
  reindexRowsPerSecondMax: 2_000,
  flushCount: 8_192,
  flushIdleMs: 2_000,
  backlogCountMax: 50_000,
  backlogBytesMax: 64 * MIB,
  diskReserveBytes: 32 * MIB,
  operationWindowS: 600,
  eraseWithinS: 300,
  operationCountMax: 1_000_000,
  operationBytesMax: 64 * MIB,
});

/** Applies the defaults. @throws {TypeError} for an unknown option or a value out of range. */
export function resolveKitOptions(input: KitOptions): ResolvedKitOptions {
  return resolveOptions<ResolvedKitOptions>(input, KIT_DEFAULTS, {
    residentBytesMax: integerOption(MIB, 1024 * GIB),
    preloadCount: integerOption(0, 1_000),
    bodyCacheBytes: integerOption(64 * 1024, 1024 * GIB),
    knownScopeCountMax: integerOption(1, 100_000_000),
    partitionRowsMax: integerOption(1, 2_000_000),
    partitionBytesMax: integerOption(MIB, 64 * GIB),
    partitionVectorBytesMax: integerOption(64 * 1024, 1024 * GIB),
    embedWaitMs: integerOption(1, 60_000),
    rerankWaitMs: integerOption(1, 60_000),
    embedRetryMs: integerOption(10, 3_600_000),
    reindexRowsPerSecondMax: integerOption(1, 1_000_000),
    flushCount: integerOption(1, 50_000),
    flushIdleMs: integerOption(1, 3_600_000),
    backlogCountMax: integerOption(1, 1_000_000),
    backlogBytesMax: integerOption(MIB, 4 * GIB),
    diskReserveBytes: integerOption(0, GIB),
    operationWindowS: integerOption(1, 86_400),
    eraseWithinS: integerOption(2, 86_400),
    operationCountMax: integerOption(1, 10_000_000),
    operationBytesMax: integerOption(MIB, 4 * GIB),
  });
}
