import {
  booleanOption,
  choiceOption,
  integerOption,
  type OptionRule,
  resolveOptions,
} from "@membus/protocol";

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

export interface ContextOptions {
  /**
   * Number of tokens above which the context is compacted, 1..100000000.
   * @default 150000
   */
  readonly thresholdTokens?: number | undefined;
  /**
   * Fraction of `thresholdTokens` to save, 0..0.99. A compaction stops at `thresholdTokens` minus this
   * fraction. A processor before the last one runs only if it is expected to save this fraction.
   * @default 0.4
   */
  readonly minReductionRatio?: number | undefined;
  /**
   * "compaction": run `processors`. "sliding_window": keep the newest messages that fit, without gaps.
   * @default "compaction"
   */
  readonly mode?: "compaction" | "sliding_window" | undefined;
  /**
   * Fraction of `thresholdTokens` that a sliding window leaves free, 0..0.99.
   * @default 0.1
   */
  readonly slidingHeadroom?: number | undefined;
  /**
   * Processors, which run in this order until the context is small enough.
   * @default ["tool_truncation", "offload", "summarization", "backward_packing"]
   */
  readonly processors?: readonly ProcessorName[] | undefined;
  /** @default [] */
  readonly excludedProcessors?: readonly ProcessorName[] | undefined;
  /**
   * When the size of the context is checked: after the window adds messages ("add"), or when messages are
   * read ("messages").
   * @default ["add", "messages"]
   */
  readonly triggers?: readonly ("add" | "messages")[] | undefined;
  /**
   * Tokens that an image counts for, 0..1000000.
   * @default 800
   */
  readonly imageTokens?: number | undefined;
  /**
   * Number of newest assistant messages from which on all messages stay unchanged, 1..1000. Without an
   * assistant message, all messages stay unchanged.
   * @default 1
   */
  readonly graceRounds?: number | undefined;
  /**
   * Tokens to which a tool result is cut, 1..1000000.
   * @default 1200
   */
  readonly toolResultTokensMax?: number | undefined;
  /**
   * Tokens above which a tool result is offloaded, 1..1000000.
   * @default 2000
   */
  readonly offloadTokensMin?: number | undefined;
  /**
   * Characters of an offloaded text that stay in the context as a preview, 0..100000.
   * @default 200
   */
  readonly offloadPreviewLength?: number | undefined;
  /**
   * Maximum number of tokens of a summary, 1..1000000.
   * @default 6000
   */
  readonly summaryTokensMax?: number | undefined;
  /**
   * Maximum number of tokens that the model summarizes at once, 1..100000000. More messages are summarized in
   * parts. 0: 1.25 times `thresholdTokens`, so that a context just above the threshold is one part.
   * @default 0
   */
  readonly summaryInputTokensMax?: number | undefined;
  /**
   * Whether the summarizing model gets the leading system message.
   * @default true
   */
  readonly includeOriginalInstruction?: boolean | undefined;
  /**
   * Whether the summarizing model gets the images. False: it gets only their positions.
   * @default false
   */
  readonly includeImages?: boolean | undefined;
  /**
   * Maximum number of images that a summary keeps, the newest first, 0..1000. null: as many as the model
   * requests and half of a request can hold, or 5 after "too_large".
   * @default null
   */
  readonly retainedImagesMax?: number | null | undefined;
  /**
   * Provider that limits the size of requests.
   * @default "default"
   */
  readonly provider?: Provider | undefined;
}

export type ResolvedContextOptions = {
  readonly [K in keyof ContextOptions]-?: Exclude<ContextOptions[K], undefined>;
};

export const CONTEXT_DEFAULTS = Object.freeze({
  thresholdTokens: 150_000,
  minReductionRatio: 0.4,
  mode: "compaction",
  slidingHeadroom: 0.1,
  processors: PROCESSORS,
  excludedProcessors: [],
  triggers: ["add", "messages"],
  imageTokens: 800,
  graceRounds: 1,
  toolResultTokensMax: 1_200,
  offloadTokensMin: 2_000,
  offloadPreviewLength: 200,
  summaryTokensMax: 6_000,
  summaryInputTokensMax: 0,
  includeOriginalInstruction: true,
  includeImages: false,
  retainedImagesMax: null,
  provider: "default",
} as const);

const tokensOption = integerOption(1, 1_000_000);

function ratioOption(value: unknown, name: string): void {
  if (typeof value !== "number" || !(value >= 0 && value <= 0.99)) {
    throw new TypeError(`${name} must be a number in 0..0.99, got ${String(value)}`);
  }
}

function listOption(...values: readonly string[]): OptionRule {
  const rule = choiceOption(...values);
  return (value, name) => {
    if (!Array.isArray(value)) throw new TypeError(`${name} must be a list`);
    if (new Set(value).size < value.length) throw new TypeError(`${name} contains a value twice`);
    for (const [index, item] of value.entries()) rule(item, `${name}[${index}]`);
  };
}

function nullable(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== null) rule(value, name);
  };
}

const RULES: { readonly [K in keyof ResolvedContextOptions]: OptionRule } = {
  thresholdTokens: integerOption(1, 100_000_000),
  minReductionRatio: ratioOption,
  mode: choiceOption("compaction", "sliding_window"),
  slidingHeadroom: ratioOption,
  processors: listOption(...PROCESSORS),
  excludedProcessors: listOption(...PROCESSORS),
  triggers: listOption("add", "messages"),
  imageTokens: integerOption(0, 1_000_000),
  graceRounds: integerOption(1, 1_000),
  toolResultTokensMax: tokensOption,
  offloadTokensMin: tokensOption,
  offloadPreviewLength: integerOption(0, 100_000),
  summaryTokensMax: tokensOption,
  summaryInputTokensMax: integerOption(0, 100_000_000),
  includeOriginalInstruction: booleanOption,
  includeImages: booleanOption,
  retainedImagesMax: nullable(integerOption(0, 1_000)),
  provider: choiceOption(...Object.keys(PAYLOAD_BYTES_MAX)),
};

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveContextOptions(input: ContextOptions): ResolvedContextOptions {
  return resolveOptions<ResolvedContextOptions>(input, CONTEXT_DEFAULTS, RULES);
}
