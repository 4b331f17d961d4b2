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
import { subjectOption } from "./subject.js";

export interface LongTermOptions {
  /**
   * Subject of the memories, such as "user:abc123" or "agent:gmail". 1..64 characters ('%', '/', '*' and
   * control characters count as 3). Memories about other subjects are not found.
   */
  readonly subject: string;
  /**
   * Tier of the memories. "episodic": of the agent. "semantic": shared by all agents of the tenant.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Without a model: minimum score at which known facts are reported as similar to a new one, 0..1. Facts
   * with the same words are duplicates. 0.9 means all of its words, or nearly the same meaning. Each text
   * then takes a query, which makes a record about six times slower. Absent: only an identical text is a
   * duplicate.
   */
  readonly similarScore?: number | undefined;
  /**
   * Minimum score at which the deciding model gets a known fact for a new one, 0..1. 0.3 means "related in
   * meaning".
   * @default 0.3
   */
  readonly neighbourScore?: number | undefined;
  /**
   * Maximum number of known facts for each new one, integer 1..50.
   * @default 5
   */
  readonly neighbourCountMax?: number | undefined;
  /**
   * Maximum number of decisions about a candidate while its related facts keep changing, integer 1..20. Then
   * it is refused.
   * @default 4
   */
  readonly decisionCountMax?: number | undefined;
  /**
   * Maximum number of facts that a model may extract from one question, integer 1..200.
   * @default 50
   */
  readonly factCountMax?: number | undefined;
  /**
   * Maximum number of characters of messages in one question, integer 1000..1000000. Longer conversations are
   * read in parts.
   * @default 40000
   */
  readonly transcriptLengthMax?: number | undefined;
  /**
   * Number of latest calls that a tool's guideline is computed from, integer 1..10000.
   * @default 1000
   */
  readonly toolCallCountMax?: number | undefined;
  /**
   * Whether this process starts the work that its `record` queues. False: it waits for `runPending`.
   * @default true
   */
  readonly runQueued?: boolean | undefined;
  /**
   * Maximum number of attempts at queued work, integer 1..100.
   * @default 3
   */
  readonly taskAttemptCountMax?: number | undefined;
  /**
   * Seconds after which another process takes over running work, integer 1..86400.
   * @default 600
   */
  readonly taskLeaseS?: number | undefined;
  /**
   * Initial retry delay in seconds, doubled after each failure, integer 0..86400.
   * @default 30
   */
  readonly taskRetryS?: number | undefined;
  /**
   * Seconds for which `status` reports completed or failed work, integer 1..31536000.
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

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveLongTermOptions(input: LongTermOptions): ResolvedLongTermOptions {
  return resolveOptions<ResolvedLongTermOptions>(
    input,
    { ...LONG_TERM_DEFAULTS, subject: "" },
    {
      subject: subjectOption,
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
    throw new TypeError(`${name} must be a number in 0..1, got ${String(value)}`);
  }
};

/** Checks a time in Unix seconds. */
export const timeOption: OptionRule = (value, name) => {
  if (typeof value !== "number" || !(value >= 0 && value <= 1e11)) {
    throw new TypeError(`${name} must be a time in Unix seconds (0..1e11), got ${String(value)}`);
  }
};
