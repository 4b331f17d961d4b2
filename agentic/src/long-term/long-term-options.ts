import {
  booleanOption,
  choiceOption,
  integerOption,
  type MemoryTier,
  type OptionRule,
  optionalOption,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { aboutOption } from "./about.js";

export interface LongTermOptions {
  /**
   * Who or what the memories are about: "user:abc123", "agent:gmail". 1..64 characters; each of `%`, `/`, `*` and
   * control characters counts for three. Nothing about another is found.
   */
  readonly about: string;
  /**
   * Where they are kept: "episodic" is the agent's own, "semantic" is shared by all agents of the tenant.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Without a model: facts that answer a new one at least so well are told beside it as similar, 0..1, and those that say
   * the same words are its duplicates. 0.9 stands for all of its words, or nearly the same meaning. Takes a query for each
   * text, so that a record takes six times as long. Absent: only the same text is a duplicate.
   */
  readonly similarScore?: number | undefined;
  /**
   * Facts that answer a new one at least so well are shown to the model that decides, 0..1. 0.3 stands for "related in
   * meaning".
   * @default 0.3
   */
  readonly neighbourScore?: number | undefined;
  /**
   * So many of them for each new fact, integer 1..50.
   * @default 5
   */
  readonly neighbourCountMax?: number | undefined;
  /**
   * How often it is decided again about what others have changed meanwhile, integer 1..20; then it is refused.
   * @default 4
   */
  readonly decisionCountMax?: number | undefined;
  /**
   * Facts that a model may find in the messages of one question, integer 1..200.
   * @default 50
   */
  readonly factCountMax?: number | undefined;
  /**
   * Characters of messages in one question, integer 1000..1000000; longer talks are read in parts.
   * @default 40000
   */
  readonly transcriptLengthMax?: number | undefined;
  /**
   * Latest calls of a tool that its guideline is made of, integer 1..10000.
   * @default 1000
   */
  readonly toolCallCountMax?: number | undefined;
  /**
   * What `record` has queued is begun by the process that queued it. Otherwise it waits for `runPending`.
   * @default true
   */
  readonly runQueued?: boolean | undefined;
  /**
   * How often queued work is begun before it counts as failed, integer 1..100.
   * @default 3
   */
  readonly taskAttemptCountMax?: number | undefined;
  /**
   * Seconds after which another process takes over work whose process is silent, integer 1..86400.
   * @default 600
   */
  readonly taskLeaseS?: number | undefined;
  /**
   * Seconds until work that failed is begun again, doubled each time, integer 0..86400.
   * @default 30
   */
  readonly taskRetryS?: number | undefined;
  /**
   * Seconds for which `status` tells what became of work that is over, integer 1..31536000.
   * @default 86400
   */
  readonly taskKeepS?: number | undefined;
}

export type ResolvedLongTermOptions = ResolvedOptions<Omit<LongTermOptions, "similarScore">> &
  Pick<LongTermOptions, "similarScore">;

export const LONG_TERM_DEFAULTS = Object.freeze({
  tier: "episodic" as const,
  neighbourScore: 0.3,
  neighbourCountMax: 5,
  decisionCountMax: 4,
  factCountMax: 50,
  transcriptLengthMax: 40_000,
  toolCallCountMax: 1_000,
  runQueued: true,
  taskAttemptCountMax: 3,
  taskLeaseS: 600,
  taskRetryS: 30,
  taskKeepS: 86_400,
});

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveLongTermOptions(input: LongTermOptions): ResolvedLongTermOptions {
  return resolveOptions<ResolvedLongTermOptions>(
    input,
    { ...LONG_TERM_DEFAULTS, about: "" },
    {
      about: aboutOption,
      tier: choiceOption(...TIERS),
      similarScore: optionalOption(fractionOption),
      neighbourScore: fractionOption,
      neighbourCountMax: integerOption(1, 50),
      decisionCountMax: integerOption(1, 20),
      factCountMax: integerOption(1, 200),
      transcriptLengthMax: integerOption(1_000, 1_000_000),
      toolCallCountMax: integerOption(1, 10_000),
      runQueued: booleanOption,
      taskAttemptCountMax: integerOption(1, 100),
      taskLeaseS: integerOption(1, 86_400),
      taskRetryS: integerOption(0, 86_400),
      taskKeepS: integerOption(1, 31_536_000),
    },
  );
}

export const fractionOption: OptionRule = (value, name) => {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
    throw new TypeError(`${name} must be a number of 0..1, got ${String(value)}`);
  }
};

/** Unix seconds. */
export const timeOption: OptionRule = (value, name) => {
  if (typeof value !== "number" || !(value >= 0 && value <= 1e11)) {
    throw new TypeError(`${name} must be Unix seconds, got ${String(value)}`);
  }
};
