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

/** What is about to be learned from. */
export interface LearnedTalk {
  /** The conversation's id. */
  readonly conversation: string;
  /** Those of its messages that are learned now, oldest first. */
  readonly messages: readonly ChatMessage[];
}

/** Who or what a talk tells something about; undefined: it is not learned from. The same talk must give the same. */
export type AboutOf = (talk: LearnedTalk) => string | undefined | Promise<string | undefined>;

export interface LearnerOptions {
  /** Whom the memories are about: a text in which `{conversation}` stands for the conversation's id, or a function. */
  readonly about: string | AboutOf;
  /**
   * The tier of the conversations; the learner's own notes are there, too.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * How memories are kept, the tier among it; `about` is set here.
   * @default {}
   */
  readonly longTerm?: Omit<LongTermOptions, "about"> | undefined;
  /**
   * A conversation is learned from once nothing was said for so long. Milliseconds, integer 0..3600000.
   * @default 5000
   */
  readonly debounceMs?: number | undefined;
  /**
   * One that never gets quiet is learned from after so long all the same. Milliseconds, integer 0..86400000.
   * @default 600000
   */
  readonly waitMsMax?: number | undefined;
  /**
   * Another learner goes on with a conversation whose learner is silent for so long. Milliseconds, integer 100..3600000.
   * @default 60000
   */
  readonly leaseMs?: number | undefined;
  /**
   * By how much the clocks of two learners may differ: a lease is over so much later. Milliseconds, integer 0..3600000.
   * @default 1000
   */
  readonly clockSkewMsMax?: number | undefined;
  /**
   * So often it is looked for what no event has told of. Milliseconds, integer 50..3600000.
   * @default 30000
   */
  readonly lookMs?: number | undefined;
  /**
   * Messages that are learned from at once, integer 1..64.
   * @default 50
   */
  readonly batchCountMax?: number | undefined;
  /**
   * Their bytes as JSON; a message that is larger is alone. Integer 1024..1048576.
   * @default 32768
   */
  readonly batchBytesMax?: number | undefined;
  /**
   * Facts name the messages that they are from: a forget of these with `cascade` takes the facts, too. False for a host
   * that knows no sources, which would refuse the facts.
   * @default true
   */
  readonly sources?: boolean | undefined;
  /**
   * Conversations that are learned from at the same time, integer 1..64.
   * @default 4
   */
  readonly concurrency?: number | undefined;
  /**
   * After a failure a conversation waits for so long, twice as long each time. Milliseconds, integer 1..3600000.
   * @default 5000
   */
  readonly retryMs?: number | undefined;
  /**
   * No longer than this. Milliseconds, integer 1..86400000.
   * @default 600000
   */
  readonly retryMsMax?: number | undefined;
  /**
   * So many failures that say that the messages are at fault (`refused`, `too_large`, `invalid_output`, `invalid_request`),
   * and a batch is divided until the message that causes them is alone; after so many more that one is set aside. Integer
   * 1..100.
   * @default 5
   */
  readonly faultCountMax?: number | undefined;
}

export type ResolvedLearnerOptions = ResolvedOptions<LearnerOptions>;

/** Messages that any learner takes at once. */
export const BATCH_COUNT_MAX = 64;

export const LEARNER_DEFAULTS = Object.freeze({
  tier: "episodic" as const,
  longTerm: Object.freeze({}),
  debounceMs: 5_000,
  waitMsMax: 600_000,
  leaseMs: 60_000,
  clockSkewMsMax: 1_000,
  lookMs: 30_000,
  batchCountMax: 50,
  batchBytesMax: 32_768,
  sources: true,
  concurrency: 4,
  retryMs: 5_000,
  retryMsMax: 600_000,
  faultCountMax: 5,
});

const aboutOption: OptionRule = (value, name) => {
  if (typeof value !== "function" && (typeof value !== "string" || value === "")) {
    throw new TypeError(`${name} must be a non-empty text or a function`);
  }
};

/** Judged by long-term memory itself. */
const objectOption: OptionRule = (value, name) => {
  if (typeof value !== "object" || value === null) throw new TypeError(`${name} must be an object`);
};

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveLearnerOptions(input: LearnerOptions): ResolvedLearnerOptions {
  return resolveOptions<ResolvedLearnerOptions>(
    input,
    { ...LEARNER_DEFAULTS, about: "" },
    {
      about: aboutOption,
      tier: choiceOption(...TIERS),
      longTerm: objectOption,
      debounceMs: integerOption(0, 3_600_000),
      waitMsMax: integerOption(0, 86_400_000),
      leaseMs: integerOption(100, 3_600_000),
      clockSkewMsMax: integerOption(0, 3_600_000),
      lookMs: integerOption(50, 3_600_000),
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
