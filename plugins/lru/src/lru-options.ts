import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const TIB = 1024 * GIB;

/** Limits. A scope is one session of an agent and one namespace. */
export const LruOptionsSchema = optionSet({
  /** Maximum entries of all scopes. */
  entriesMax: option.integer(1, 100_000_000).default(1_000_000),
  /** Maximum bytes of all scopes, including indexes. A scope with one small entry takes 6 KiB. */
  bytesMax: option.integer(64 * 1024, TIB).default(GIB),
  /** Maximum entries of one scope. */
  scopeEntriesMax: option.integer(1, 2_000_000).default(100_000),
  /** Maximum bytes of one scope. */
  scopeBytesMax: option.integer(64 * 1024, TIB).default(256 * MIB),
  /** Maximum bytes of the replies that are kept for retries. */
  operationBytesMax: option.integer(MIB, 4 * GIB).default(64 * MIB),
  /** Maximum number of remembered operations. Each takes 350 bytes in addition to its reply. */
  operationCountMax: option.integer(1, 10_000_000).default(1_000_000),
  /** Seconds after which an unused session ends. */
  idleS: option.integer(1, 31_536_000).default(86_400),
});

export interface LruOptions extends OptionsOf<typeof LruOptionsSchema> {}
export interface ResolvedLruOptions extends ResolvedOptionsOf<typeof LruOptionsSchema> {}

export const LRU_DEFAULTS: ResolvedLruOptions = parseOptions(LruOptionsSchema, {});
