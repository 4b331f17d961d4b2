import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

export const OutboxOptionsSchema = optionSet({
  /** Number of writes on disk, queued and refused, at which further writes fail. */
  countMax: option.integer(1, 1_000_000).default(10_000),
  /** Bytes of the writes on disk, queued and refused, at which further writes fail. */
  bytesMax: option.integer(1, 1_000_000_000_000).default(64 * 1024 * 1024),
});

export interface OutboxOptions extends OptionsOf<typeof OutboxOptionsSchema> {}
export interface ResolvedOutboxOptions extends ResolvedOptionsOf<typeof OutboxOptionsSchema> {}

export const DrainOptionsSchema = optionSet({
  /** Number of writes that one call delivers. */
  countMax: option.integer(1, 1_000_000).default(1_000),
  /** Time after which no further write is sent, also the timeout of each request. Milliseconds. */
  timeoutMs: option.integer(1, 600_000).default(2_000),
});

export interface DrainOptions extends OptionsOf<typeof DrainOptionsSchema> {}
