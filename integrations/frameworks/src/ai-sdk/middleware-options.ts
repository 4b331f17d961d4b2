import { RecallOptionsSchema } from "@membus/agentic/long-term";
import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";

export const MiddlewareOptionsSchema = optionSet({
  /** Search options of `retrieve` of a `LongTermMemory`, with its defaults. */
  retrieve: RecallOptionsSchema.prefault({}),
  /** Maximum characters of memories in the prompt. Memories that do not fit are left out. */
  charsMax: option.integer(200, 100_000).default(4_000),
  /** Whether a completed turn is recorded. */
  record: option.boolean().default(true),
  /** Whether the answer waits for the recording. Otherwise it is queued. */
  wait: option.boolean().default(false),
  /**
   * "log": if the memory is unavailable, the error is logged and the model answers without it. "throw": the
   * call fails.
   */
  onError: option.choice("log", "throw").default("log"),
  /**
   * Maximum number of turns with recalled memories in the cache for later steps. Also the maximum number of
   * other subjects with failed recordings that this process retries.
   */
  turnCountMax: option.integer(1, 100_000).default(1_000),
});

export interface MiddlewareOptions extends OptionsOf<typeof MiddlewareOptionsSchema> {}
export interface ResolvedMiddlewareOptions extends ResolvedOptionsOf<typeof MiddlewareOptionsSchema> {}

export interface MiddlewareDependencies {
  /** Logs errors, without content. Absent: no log. */
  readonly logger?: Logger | undefined;
}
