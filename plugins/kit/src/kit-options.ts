import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const KitOptionsSchema = optionSet({
  /**
   * Memory limit of loaded partitions, in bytes. Above it, the least recently used partitions are unloaded.
   * Partitions that are in use, are not flushed, or are the only one stay loaded. A million entries take about
   * 2 GiB.
   */
  residentBytesMax: option.integer(MIB, 1024 * GIB).default(3 * GIB),
  /**
   * Partitions that are loaded as soon as the tier is open: the most recently written ones. 0 disables
   * preloading.
   */
  preloadCount: option.integer(0, 1_000).default(4),
  /** Size of the cache of contents read from disk, in bytes. */
  bodyCacheBytes: option.integer(64 * 1024, 1024 * GIB).default(128 * MIB),
  /**
   * Limit of the scope names kept in RAM, about 300 bytes each. Above it, the scopes of the least recently
   * used tenants are dropped and read from disk again when needed. Checked at each maintenance run.
   */
  knownScopeCountMax: option.integer(1, 100_000_000).default(500_000),
  /** Limit of the entries of one partition. A store above it fails with `memory_full`. */
  partitionRowsMax: option.integer(1, 10_000_000).default(2_000_000),
  /**
   * Limit of the keys, tags and metadata of one partition's entries, in bytes. They are in RAM while the
   * partition is loaded. Above the limit, new entries and longer metadata fail with `memory_full`.
   */
  partitionBytesMax: option.integer(MIB, 64 * GIB).default(GIB),
  /**
   * Limit of the vectors that one loaded partition has in RAM, in bytes. A durable tier on LanceDB searches the
   * vectors of a larger partition on disk, and says so in its replies. Another tier holds fewer entries than
   * `partitionRowsMax`: 2,000,000 with 384 components, about 560,000 with 1,536.
   */
  partitionVectorBytesMax: option.integer(0, 1024 * GIB).default(4 * GIB),
  /**
   * Time that a store waits for its embedder, in milliseconds. Entries that are not embedded by then are
   * embedded in the background.
   */
  embedWaitMs: option.integer(1, 60_000).default(1_000),
  /**
   * Time that a query waits for its reranker, in milliseconds. After it, results are returned in the original
   * order.
   */
  rerankWaitMs: option.integer(1, 60_000).default(2_000),
  /** Delay before a failed embedder is called again, in milliseconds. */
  embedRetryMs: option.integer(10, 3_600_000).default(5_000),
  /**
   * Rows per second that are embedded or analysed again in the background, so that requests keep a share of
   * the provider's limits.
   */
  reindexRowsPerSecondMax: option.integer(1, 1_000_000).default(2_000),
  /** Number of logged rows that triggers an immediate flush. */
  flushCount: option.integer(1, 50_000).default(8_192),
  /** Time after a store until the logged rows are flushed, in milliseconds. Hosts of a cluster have 60,000 by default. */
  flushIdleMs: option.integer(1, 3_600_000).default(2_000),
  /** Whether each maintenance flushes the logged rows, too. Hosts of a cluster have false by default. */
  flushAtMaintenance: option.boolean().default(true),
  /** Limit of the rows that wait to be flushed. A store above it fails with `overloaded`. */
  backlogCountMax: option.integer(1, 1_000_000).default(50_000),
  /** Limit of the bytes that wait to be flushed. A store above it fails with `overloaded`. */
  backlogBytesMax: option.integer(MIB, 4 * GIB).default(64 * MIB),
  /**
   * Size of a reserve file in the tier's folder, in bytes. When the disk is full, the file is released so that
   * forgotten entries can be erased and the tier can open. Until space is free again, stores fail with
   * `memory_full`. 0 disables the reserve.
   */
  diskReserveBytes: option.integer(0, GIB).default(32 * MIB),
  /** Seconds that the reply of an operation is kept for its retries. */
  operationWindowS: option.integer(1, 86_400).default(600),
  /**
   * Seconds that bytes of forgotten or expired entries may stay in the folder of a running tier with writable
   * files. After half of this time (or one minute before its end, if that is later) the log is also
   * rewritten. Cached replies are then logged again. Copies made by `repair` and `acceptLoss` are not erased.
   */
  eraseWithinS: option.integer(2, 86_400).default(300),
  /** Limit of the remembered operations. */
  operationCountMax: option.integer(1, 10_000_000).default(1_000_000),
  /** Limit of the cached replies of a tier in memory, in bytes. */
  operationBytesMax: option.integer(MIB, 4 * GIB).default(64 * MIB),
});

export interface KitOptions extends OptionsOf<typeof KitOptionsSchema> {}
export interface ResolvedKitOptions extends ResolvedOptionsOf<typeof KitOptionsSchema> {}

export const KIT_DEFAULTS: ResolvedKitOptions = parseOptions(KitOptionsSchema, {});
