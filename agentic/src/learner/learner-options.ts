import {
  booleanOption,
  choiceOption,
  integerOption,
  type MemoryTier,
  type OptionRule,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import type { LongTermOptions } from "../long-term/index.js";
import type { ChatMessage } from "../model/index.js";

/** Messages that are about to be learned. */
export interface LearnerInput {
  /** Id of the conversation. */
  readonly conversation: string;
  /** The messages to learn now, oldest first. */
  readonly messages: readonly ChatMessage[];
}

/**
 * Returns the subject of the messages, or undefined to exclude them. The same messages must give the same
 * result.
 */
export type SubjectOf = (talk: LearnerInput) => string | undefined | Promise<string | undefined>;

export interface LearnerOptions {
  /**
   * Subject of the memories: a text in which `{conversation}` is replaced by the conversation's id, or a
   * function.
   */
  readonly subject: string | SubjectOf;
  /**
   * Tier of the conversations and of the learner's own records.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Options of the memories, including their tier. The subject comes from `subject`.
   * @default {}
   */
  readonly longTerm?: Omit<LongTermOptions, "subject"> | undefined;
  /**
   * Milliseconds without a new message after which a conversation is learned, integer 0..3600000.
   * @default 5000
   */
  readonly debounceMs?: number | undefined;
  /**
   * Milliseconds after which a conversation is learned even if messages keep arriving, integer 0..86400000.
   * @default 600000
   */
  readonly waitMsMax?: number | undefined;
  /**
   * Milliseconds after which another learner takes over from a learner that has not renewed its lease,
   * integer 100..3600000.
   * @default 60000
   */
  readonly leaseMs?: number | undefined;
  /**
   * Maximum clock difference between learners in milliseconds, integer 0..3600000. Leases expire later by
   * this time.
   * @default 1000
   */
  readonly clockSkewMsMax?: number | undefined;
  /**
   * Milliseconds between searches for messages without an event, integer 50..3600000.
   * @default 30000
   */
  readonly pollMs?: number | undefined;
  /**
   * Maximum number of messages per batch, integer 1..64.
   * @default 50
   */
  readonly batchCountMax?: number | undefined;
  /**
   * Maximum size of a batch as JSON in bytes, integer 1024..1048576. A larger message forms its own batch.
   * @default 32768
   */
  readonly batchBytesMax?: number | undefined;
  /**
   * Whether facts list the messages that they are derived from. A forget of these messages with `cascade`
   * then deletes the facts too. False for a host without support for sources, which would reject the facts.
   * @default true
   */
  readonly sources?: boolean | undefined;
  /**
   * Number of conversations that are learned concurrently, integer 1..64.
   * @default 4
   */
  readonly concurrency?: number | undefined;
  /**
   * Initial retry delay in milliseconds, doubled after each failure, integer 1..3600000.
   * @default 5000
   */
  readonly retryMs?: number | undefined;
  /**
   * Maximum retry delay in milliseconds, integer 1..86400000.
   * @default 600000
   */
  readonly retryMsMax?: number | undefined;
  /**
   * Number of failures caused by the messages (`refused`, `too_large`, `invalid_output`, `invalid_request`)
   * after which a batch is divided. A single message is set aside after the same number of further failures.
   * Integer 1..100.
   * @default 5
   */
  readonly faultCountMax?: number | undefined;
}

export type ResolvedLearnerOptions = ResolvedOptions<LearnerOptions>;

/** Maximum number of messages of any batch. */
export const BATCH_COUNT_MAX = 64;

export const LEARNER_DEFAULTS = Object.freeze({
  tier: "episodic" as const,
  longTerm: Object.freeze({}),
  debounceMs: 5_000,
  waitMsMax: 600_000,
  leaseMs: 60_000,
  clockSkewMsMax: 1_000,
  pollMs: 30_000,
  batchCountMax: 50,
  batchBytesMax: 32_768,
  sources: true,
  concurrency: 4,
  retryMs: 5_000,
  retryMsMax: 600_000,
  faultCountMax: 5,
});

const subjectOption: OptionRule = (value, name) => {
  if (typeof value !== "function" && (typeof value !== "string" || value === "")) {
    throw new TypeError(`${name} must be a non-empty string or a function`);
  }
};

/** Long-term memory checks the fields. */
const objectOption: OptionRule = (value, name) => {
  if (typeof value !== "object" || value === null) throw new TypeError(`${name} must be an object`);
};

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveLearnerOptions(input: LearnerOptions): ResolvedLearnerOptions {
  return resolveOptions<ResolvedLearnerOptions>(
    input,
    { ...LEARNER_DEFAULTS, subject: "" },
    {
      subject: subjectOption,
      tier: choiceOption(...TIERS),
      longTerm: objectOption,
      debounceMs: integerOption(0, 3_600_000),
      waitMsMax: integerOption(0, 86_400_000),
      leaseMs: integerOption(100, 3_600_000),
      clockSkewMsMax: integerOption(0, 3_600_000),
      pollMs: integerOption(50, 3_600_000),
      batchCountMax: integerOption(1, BATCH_COUNT_MAX),
      batchBytesMax: integerOption(1_024, 1_048_576),
      sources: booleanOption,
      concurrency: integerOption(1, 64),
      retryMs: integerOption(1, 3_600_000),
      retryMsMax: integerOption(1, 86_400_000),
      faultCountMax: integerOption(1, 100),
    },
  );
}
