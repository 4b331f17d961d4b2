import { type RecallOptions, resolveRecallOptions } from "@membus/agentic";
import {
  booleanOption,
  choiceOption,
  integerOption,
  type Logger,
  type ResolvedOptions,
  resolveOptions,
} from "@membus/protocol";

export interface MiddlewareOptions {
  /** How memories are looked for: as `retrieve` of a `LongTermMemory`, which says so for what is absent. */
  readonly retrieve?: RecallOptions | undefined;
  /**
   * Longest text of memories that is put before the model, in characters, 200..100000; whole memories are left out.
   * @default 4000
   */
  readonly charsMax?: number | undefined;
  /**
   * Whether what was said is recorded when a turn has been answered.
   * @default true
   */
  readonly record?: boolean | undefined;
  /**
   * Whether the answer waits until that is done; otherwise it is queued.
   * @default false
   */
  readonly wait?: boolean | undefined;
  /**
   * "log": a memory that cannot be reached is logged, and the model answers without. "throw": the call fails.
   * @default "log"
   */
  readonly onError?: "log" | "throw" | undefined;
  /**
   * Turns of which it is known what was recalled for them, so that a later step looks for nothing anew, 1..100000. Of as many
   * people what fails is tried again by this process.
   * @default 1000
   */
  readonly turnCountMax?: number | undefined;
}

export interface MiddlewareDependencies {
  /** Told of what went wrong, and of no content. Absent: nobody. */
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
