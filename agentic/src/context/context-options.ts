import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";

const PROCESSORS = ["tool_truncation", "offload", "summarization", "backward_packing"] as const;
export type ProcessorName = (typeof PROCESSORS)[number];

/** Maximum size of a request in bytes, by provider. */
export const PAYLOAD_BYTES_MAX = Object.freeze({
  anthropic: 32_000_000,
  google: 100_000_000,
  openai: 25_000_000,
  openrouter: 25_000_000,
  xai: 25_000_000,
  default: 25_000_000,
});
export type Provider = keyof typeof PAYLOAD_BYTES_MAX;

const TokensSchema = option.integer(1, 1_000_000);

function distinct<const T extends readonly string[]>(...values: T) {
  return option
    .list(option.choice(...values))
    .refine((list) => new Set(list).size === list.length, "contains a value twice");
}

export const ContextOptionsSchema = optionSet({
  /** Number of tokens above which the context is compacted. */
  thresholdTokens: option.integer(1, 100_000_000).default(150_000),
  /**
   * Fraction of `thresholdTokens` to save. A compaction stops at `thresholdTokens` minus this fraction. A
   * processor before the last one runs only if it is expected to save this fraction.
   */
  minReductionRatio: option.number(0, 0.99).default(0.4),
  /** "compaction": run `processors`. "sliding_window": keep the newest messages that fit, without gaps. */
  mode: option.choice("compaction", "sliding_window").default("compaction"),
  /** Fraction of `thresholdTokens` that a sliding window leaves free. */
  slidingHeadroom: option.number(0, 0.99).default(0.1),
  /** Processors, which run in this order until the context is small enough. */
  processors: distinct(...PROCESSORS).default([...PROCESSORS]),
  excludedProcessors: distinct(...PROCESSORS).default([]),
  /**
   * When the size of the context is checked: after the window adds messages ("add"), or when messages are
   * read ("messages").
   */
  triggers: distinct("add", "messages").default(["add", "messages"]),
  /** Tokens that an image counts for. */
  imageTokens: option.integer(0, 1_000_000).default(800),
  /**
   * Number of newest assistant messages from which on all messages stay unchanged. Without an assistant
   * message, all messages stay unchanged.
   */
  graceRounds: option.integer(1, 1_000).default(1),
  /** Tokens to which a tool result is cut. */
  toolResultTokensMax: TokensSchema.default(1_200),
  /** Tokens above which a tool result is offloaded. */
  offloadTokensMin: TokensSchema.default(2_000),
  /** Characters of an offloaded text that stay in the context as a preview. */
  offloadPreviewLength: option.integer(0, 100_000).default(200),
  /** Maximum number of tokens of a summary. */
  summaryTokensMax: TokensSchema.default(6_000),
  /**
   * Maximum number of tokens that the model summarizes at once. More messages are summarized in parts. 0: 1.25
   * times `thresholdTokens`, so that a context just above the threshold is one part.
   */
  summaryInputTokensMax: option.integer(0, 100_000_000).default(0),
  /** Whether the summarizing model gets the leading system message. */
  includeOriginalInstruction: option.boolean().default(true),
  /** Whether the summarizing model gets the images. False: it gets only their positions. */
  includeImages: option.boolean().default(false),
  /**
   * Maximum number of images that a summary keeps, the newest first. null: as many as the model requests and
   * half of a request can hold, or 5 after "too_large".
   */
  retainedImagesMax: option.integer(0, 1_000).nullable().default(null),
  /** Provider that limits the size of requests. */
  provider: option.choice(...(Object.keys(PAYLOAD_BYTES_MAX) as Provider[])).default("default"),
});

export interface ContextOptions extends OptionsOf<typeof ContextOptionsSchema> {}
export interface ResolvedContextOptions extends ResolvedOptionsOf<typeof ContextOptionsSchema> {}

export const CONTEXT_DEFAULTS = parseOptions(ContextOptionsSchema, {});
