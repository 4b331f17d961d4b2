import { type RecallOptions, resolveRecallOptions } from "@membus/agentic/long-term";
import {
  booleanOption,
  choiceOption,
  integerOption,
  type ResolvedOptions,
  resolveOptions,
} from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";

export interface MiddlewareOptions {
  /** Search options of `retrieve` of a `LongTermMemory`, with its defaults. */
  readonly retrieve?: RecallOptions | undefined;
  /**
   * Maximum characters of memories in the prompt, 200..100000. Memories that do not fit are left out.
   * @default 4000
   */
  readonly charsMax?: number | undefined;
  /**
   * Whether a completed turn is recorded.
   * @default true
   */
  readonly record?: boolean | undefined;
  /**
   * Whether the answer waits for the recording. Otherwise it is queued.
   * @default false
   */
  readonly wait?: boolean | undefined;
  /**
   * "log": if the memory is unavailable, the error is logged and the model answers without it. "throw": the
   * call fails.
   * @default "log"
   */
  readonly onError?: "log" | "throw" | undefined;
  /**
   * Maximum number of turns with recalled memories in the cache for later steps, 1..100000. Also the maximum
   * number of other subjects with failed recordings that this process retries.
   * @default 1000
   */
  readonly turnCountMax?: number | undefined;
}

export interface MiddlewareDependencies {
  /** Logs errors, without content. Absent: no log. */
  readonly logger?: Logger | undefined;
}

export type ResolvedMiddlewareOptions = ResolvedOptions<MiddlewareOptions>;

export const MIDDLEWARE_DEFAULTS = Object.freeze({
  charsMax: 4_000,
  record: true,
  wait: false,
  onError: "log",
  turnCountMax: 1_000,
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveMiddlewareOptions({
  retrieve = {},
  ...input
}: MiddlewareOptions): ResolvedMiddlewareOptions {
  const options = resolveOptions<Omit<ResolvedMiddlewareOptions, "retrieve">>(input, MIDDLEWARE_DEFAULTS, {
    charsMax: integerOption(200, 100_000),
    record: booleanOption,
    wait: booleanOption,
    onError: choiceOption("log", "throw"),
    turnCountMax: integerOption(1, 100_000),
  });
  return { ...options, retrieve: resolveRecallOptions(retrieve) };
}
