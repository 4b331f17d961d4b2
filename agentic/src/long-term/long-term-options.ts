import {
  isJsonObject,
  LIMITS,
  type MetadataValue,
  type OptionsOf,
  option,
  optionSet,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { SourcesSchema, TimeSchema, TrustOptionSchema } from "../option-schemas.js";
import { SubjectSchema } from "./subject.js";

export const LongTermOptionsSchema = optionSet({
  /**
   * Subject of the memories, such as "user:abc123" or "agent:gmail". 1..64 characters ('%', '/', '*' and
   * control characters count as 3). Memories about other subjects are not found.
   */
  subject: SubjectSchema,
  /** Tier of the memories. "episodic": of the agent. "semantic": shared by all agents of the tenant. */
  tier: option.tier().default("episodic"),
  /**
   * Without a model: minimum score at which known facts are reported as similar to a new one. Facts with the
   * same words are duplicates. 0.9 means all of its words, or nearly the same meaning. Each text then takes a
   * query, which makes a record about six times slower. Absent: only an identical text is a duplicate.
   */
  similarScore: option.number(0, 1).optional(),
  /**
   * Minimum score at which the deciding model gets a known fact for a new one. 0.3 means "related in meaning".
   */
  neighbourScore: option.number(0, 1).default(0.3),
  /** Maximum number of known facts for each new one. */
  neighbourCountMax: option.integer(1, 50).default(5),
  /**
   * Maximum number of decisions about a candidate while its related facts keep changing. Then it is refused.
   */
  decisionCountMax: option.integer(1, 20).default(4),
  /** Maximum number of facts that a model may extract from one question. */
  factCountMax: option.integer(1, 100).default(20),
  /**
   * Maximum number of characters of messages in one question. Longer conversations are read in parts. The
   * default suits a model with a context of 8,192 tokens. A part that is too large for the model is halved.
   */
  transcriptLengthMax: option.integer(1_000, 1_000_000).default(12_000),
  /** Number of latest calls that a tool's guideline is computed from. */
  toolCallCountMax: option.integer(1, 10_000).default(1_000),
  /** Whether this process starts the work that its `record` queues. False: it waits for `runPending`. */
  runQueued: option.boolean().default(true),
  /** Maximum number of attempts at queued work. */
  taskAttemptCountMax: option.integer(1, 100).default(3),
  /** Seconds after which another process takes over running work. */
  taskLeaseS: option.integer(1, 86_400).default(600),
  /** Initial retry delay in seconds, doubled after each failure. */
  taskRetryS: option.integer(0, 86_400).default(30),
  /** Seconds for which `status` reports completed or failed work. */
  taskKeepS: option.integer(1, 31_536_000).default(86_400),
});

export interface LongTermOptions extends OptionsOf<typeof LongTermOptionsSchema> {}
export interface ResolvedLongTermOptions extends ResolvedOptionsOf<typeof LongTermOptionsSchema> {}

const CategorySchema = option.value<string>(
  (text) => typeof text === "string" && text !== "" && text.length <= 200,
  "must be 1..200 characters",
);

/** Metadata fields that this package sets. */
const OWN_METADATA = [
  "kind",
  "about",
  "category",
  "trust",
  "valid_from",
  "valid_until",
  "superseded_by",
  "consolidation",
];
const ownField = (metadata: object) => Object.keys(metadata).find((field) => OWN_METADATA.includes(field));

export const RecordOptionsSchema = optionSet({
  /**
   * Whether a model extracts facts from messages and decides how they relate to known ones. Without a model,
   * or with false, texts and messages are stored unchanged.
   */
  infer: option.boolean().default(true),
  /**
   * Whether to leave out messages and texts that contain only questions or "I don't know". They remain the
   * context of the next ones. It applies to those that are stored unchanged.
   */
  statementsOnly: option.boolean().default(false),
  /** Whether to wait for the result. False: the work is queued, and event ids are returned. */
  wait: option.boolean().default(true),
  category: CategorySchema.optional(),
  /** Additional metadata of the facts. */
  metadata: option
    .value<Readonly<Record<string, MetadataValue>>>(
      (metadata) => isJsonObject(metadata) && ownField(metadata) === undefined,
      (metadata) =>
        isJsonObject(metadata)
          ? `must not contain \`${ownField(metadata)}\`, which is reserved`
          : "must be an object",
    )
    .optional(),
  /** Trust of the facts. Absent: "user" for a text, by its role for a message. */
  trust: TrustOptionSchema.optional(),
  /** Unix seconds from which the facts are true. Absent: now. */
  at: TimeSchema.optional(),
  /**
   * Group of the facts, such as the id of the conversation, 1..4096 characters. The facts of a group help to find
   * each other. Without a model, the two preceding messages or texts of the call also count. Absent: the
   * messages of a call form a new group, and texts have none.
   */
  group: option.shortText(LIMITS.stringLength).optional(),
  /**
   * Key hashes of the entries that the facts are derived from, such as messages (`messageSources`), 1..64. A
   * forget of those with `cascade` then deletes the facts too. A known fact with other sources gets both, the
   * newest 64. A known fact without sources keeps none. A host without support for sources rejects them.
   */
  sources: SourcesSchema.optional(),
  signal: option.signal().optional(),
});

export interface RecordOptions extends OptionsOf<typeof RecordOptionsSchema> {}

export const ExperienceOptionsSchema = optionSet({
  /** Success of the task: the score of the trajectory. */
  value: option.number(0, 1).default(1),
  /** Result in a word, such as "solved". */
  outcome: CategorySchema.optional(),
  /** Absent: "user" for a text, for messages the lowest trust of their roles. */
  trust: TrustOptionSchema.optional(),
  /** As in `record`. */
  infer: option.boolean().default(true),
  /** As in `record`. */
  sources: SourcesSchema.optional(),
  signal: option.signal().optional(),
});

export interface ExperienceOptions extends OptionsOf<typeof ExperienceOptionsSchema> {}

export const ToolCallOptionsSchema = RecordOptionsSchema.pick({ sources: true, signal: true });

/** Options of `recordToolCalls`. */
export interface ToolCallOptions extends OptionsOf<typeof ToolCallOptionsSchema> {}
