import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { LongTermOptionsSchema } from "../long-term/index.js";
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

/** Maximum number of messages of any batch. */
export const BATCH_COUNT_MAX = 64;

export const LearnerOptionsSchema = optionSet({
  /**
   * Subject of the memories: a text in which `{conversation}` is replaced by the conversation's id, or a
   * function.
   */
  subject: option.value<string | SubjectOf>(
    (subject) => typeof subject === "function" || (typeof subject === "string" && subject !== ""),
    "must be a non-empty string or a function",
  ),
  /** Tier of the conversations and of the learner's own records. */
  tier: option.tier().default("episodic"),
  /** Options of the memories, including their tier. The subject comes from `subject`. */
  longTerm: LongTermOptionsSchema.omit({ subject: true }).prefault({}),
  /** Milliseconds without a new message after which a conversation is learned. */
  debounceMs: option.integer(0, 3_600_000).default(5_000),
  /** Milliseconds after which a conversation is learned even if messages keep arriving. */
  waitMsMax: option.integer(0, 86_400_000).default(600_000),
  /** Milliseconds after which another learner takes over from a learner that has not renewed its lease. */
  leaseMs: option.integer(100, 3_600_000).default(60_000),
  /** Maximum clock difference between learners in milliseconds. Leases expire later by this time. */
  clockSkewMsMax: option.integer(0, 3_600_000).default(1_000),
  /** Milliseconds between searches for messages without an event. */
  pollMs: option.integer(50, 3_600_000).default(30_000),
  /** Maximum number of messages per batch. */
  batchCountMax: option.integer(1, BATCH_COUNT_MAX).default(50),
  /** Maximum size of a batch as JSON in bytes. A larger message forms its own batch. */
  batchBytesMax: option.integer(1_024, 1_048_576).default(32_768),
  /**
   * Whether facts list the messages that they are derived from. A forget of these messages with `cascade`
   * then deletes the facts too. False for a host without support for sources, which would reject the facts.
   */
  sources: option.boolean().default(true),
  /** Number of conversations that are learned concurrently. */
  concurrency: option.integer(1, 64).default(4),
  /** Initial retry delay in milliseconds, doubled after each failure. */
  retryMs: option.integer(1, 3_600_000).default(5_000),
  /** Maximum retry delay in milliseconds. */
  retryMsMax: option.integer(1, 86_400_000).default(600_000),
  /**
   * Number of failures caused by the messages (`refused`, `too_large`, `invalid_output`, `invalid_request`)
   * after which a batch is divided. A `timeout` divides it immediately. A single message is set aside after the
   * same number of further failures.
   */
  faultCountMax: option.integer(1, 100).default(5),
});

export interface LearnerOptions extends OptionsOf<typeof LearnerOptionsSchema> {}
export interface ResolvedLearnerOptions extends ResolvedOptionsOf<typeof LearnerOptionsSchema> {}
