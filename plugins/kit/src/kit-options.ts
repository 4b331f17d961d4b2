import { integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";

export interface KitOptions {
  /**
   * Partitions beyond this many bytes leave RAM, least recently used first; those in use or not flushed stay,
   * and one that is alone. A million entries take about 2 GiB.
   * Bytes, 1 MiB..1 TiB.
   * @default 3221225472
   */
  readonly residentBytesMax?: number | undefined;
  /**
   * Partitions that are loaded as soon as the tier is open, before they are asked for: those written last.
   * 0..1000; 0 waits for requests.
   * @default 4
   */
  readonly preloadCount?: number | undefined;
  /**
   * Cache of contents read from disk. Bytes, 64 KiB..1 TiB.
   * @default 134217728
   */
  readonly bodyCacheBytes?: number | undefined;
  /**
   * Partitions that are known to be there without a look at the disk, some 300 bytes each: over that, those of tenants that
   * were asked for least recently are looked for anew. Counted at each maintenance. 1..100,000,000.
   * @default 500000
   */
  readonly knownScopeCountMax?: number | undefined;
  /**
   * Entries of one partition; a store of more is `memory_full`. 1..2,000,000.
   * @default 2000000
   */
  readonly partitionRowsMax?: number | undefined;
  /**
   * Keys, tags and metadata of one partition's entries, which are in RAM while it is asked: where there are more,
   * new entries and longer metadata are `memory_full`. Bytes, 1 MiB..64 GiB.
   * @default 1073741824
   */
  readonly partitionBytesMax?: number | undefined;
  /**
   * Vectors of one partition, which are in RAM while it is asked: long ones leave room for fewer new entries than
   * `partitionRowsMax`. 2,000,000 of 384 components, about 560,000 of 1,536. Bytes, 64 KiB..1 TiB.
   * @default 4294967296
   */
  readonly partitionVectorBytesMax?: number | undefined;
  /**
   * How long a store waits for its embedder; vectors that come later are filled in. Milliseconds, 1..60000.
   * @default 1000
   */
  readonly embedWaitMs?: number | undefined;
  /**
   * How long a query waits for its reranker; then the answer is in the order without it. Milliseconds, 1..60000.
   * @default 2000
   */
  readonly rerankWaitMs?: number | undefined;
  /**
   * Pause before an embedder that failed is asked again. Milliseconds, 10..3600000.
   * @default 5000
   */
  readonly embedRetryMs?: number | undefined;
  /**
   * Rows that are embedded or analysed anew in the background, a second: so much of a provider's limits is left to
   * requests. 1..1000000.
   * @default 2000
   */
  readonly reindexRowsPerSecondMax?: number | undefined;
  /**
   * Rows in the log from which they are flushed into storage at once. 1..50000.
   * @default 8192
   */
  readonly flushCount?: number | undefined;
  /**
   * Milliseconds after a store before what is logged is flushed. 1..3600000.
   * @default 2000
   */
  readonly flushIdleMs?: number | undefined;
  /**
   * Rows that may wait to be flushed; a store of more is `overloaded`. 1..1,000,000.
   * @default 50000
   */
  readonly backlogCountMax?: number | undefined;
  /**
   * The same in bytes, 1 MiB..4 GiB.
   * @default 67108864
   */
  readonly backlogBytesMax?: number | undefined;
  /**
   * Size of a file in the tier's folder that makes room when the disk is full, so that what was forgotten can leave it and
   * the tier can open; meanwhile stores are `memory_full`. Bytes, 0..1 GiB; 0: none, and a full disk stays full.
   * @default 33554432
   */
  readonly diskReserveBytes?: number | undefined;
  /**
   * How long the reply of an operation is remembered for its retries. Seconds, 1..86400.
   * @default 600
   */
  readonly operationWindowS?: number | undefined;
  /**
   * How long bytes of what was forgotten or has expired may stay in the folder of a tier that runs, and whose files can
   * be written. Past half of it, or a minute before its end if that is later, what the log holds goes too, and replies
   * that are still remembered are logged anew. Copies that `repair` and `acceptLoss` made stay. Seconds, 2..86400.
   * @default 300
   */
  readonly eraseWithinS?: number | undefined;
  /**
   * Operations remembered at most. 1..10,000,000.
   * @default 1000000
   */
  readonly operationCountMax?: number | undefined;
  /**
   * Bytes of remembered replies in a tier that keeps them in RAM. 1 MiB..4 GiB.
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

/** @throws {TypeError} for an unknown option or a value out of range. */
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
