import { integerOption, resolveOptions } from "@membus/protocol";

/** Limits. A scope is one session of an agent and one namespace. */
export interface LruOptions {
  /** Maximum entries of all scopes, 1..100,000,000. @default 1000000 */
  readonly entriesMax?: number | undefined;
  /**
   * Maximum bytes of all scopes, including indexes, 64 KiB..1 TiB. A scope with one small entry takes 6 KiB.
   * @default 1073741824
   */
  readonly bytesMax?: number | undefined;
  /** Maximum entries of one scope, 1..2,000,000. @default 100000 */
  readonly scopeEntriesMax?: number | undefined;
  /** Maximum bytes of one scope, 64 KiB..1 TiB. @default 268435456 */
  readonly scopeBytesMax?: number | undefined;
  /** Maximum bytes of the replies that are kept for retries, 1 MiB..4 GiB. @default 67108864 */
  readonly operationBytesMax?: number | undefined;
  /**
   * Maximum number of remembered operations, 1..10,000,000. Each takes 350 bytes in addition to its reply.
   * @default 1000000
   */
  readonly operationCountMax?: number | undefined;
  /** Seconds after which an unused session ends, 1..31,536,000. @default 86400 */
  readonly idleS?: number | undefined;
}

export type ResolvedLruOptions = { readonly [K in keyof LruOptions]-?: NonNullable<LruOptions[K]> };

export const LRU_DEFAULTS: ResolvedLruOptions = Object.freeze({
  entriesMax: 1_000_000,
  bytesMax: 1024 * 1024 * 1024,
  scopeEntriesMax: 100_000,
  scopeBytesMax: 256 * 1024 * 1024,
  operationBytesMax: 64 * 1024 * 1024,
  operationCountMax: 1_000_000,
  idleS: 86_400,
});

/** @throws {TypeError} For an unknown option or a value out of range. */
export function resolveLruOptions(input: LruOptions): ResolvedLruOptions {
  return resolveOptions<ResolvedLruOptions>(input, LRU_DEFAULTS, {
    entriesMax: integerOption(1, 100_000_000),
    bytesMax: integerOption(64 * 1024, 1024 ** 4),
    scopeEntriesMax: integerOption(1, 2_000_000),
    scopeBytesMax: integerOption(64 * 1024, 1024 ** 4),
    operationBytesMax: integerOption(1024 * 1024, 4 * 1024 ** 3),
    operationCountMax: integerOption(1, 10_000_000),
    idleS: integerOption(1, 31_536_000),
  });
}
