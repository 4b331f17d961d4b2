import {
  booleanOption,
  choiceOption,
  integerOption,
  type OptionRule,
  resolveOptions,
} from "@membus/protocol";

const PROCESSORS = ["tool_truncation", "offload", "summarization", "backward_packing"] as const;
export type ProcessorName = (typeof PROCESSORS)[number];

/** What a request may have in bytes, by provider. */
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
   * Above so many tokens the context is compacted, 1..100000000.
   * @default 150000
   */
  readonly thresholdTokens?: number | undefined;
  /**
   * A compaction goes down to `thresholdTokens` less this part of it, and a processor that is not the last one runs only
   * if it is to save this part. 0..0.99.
   * @default 0.4
   */
  readonly minReductionRatio?: number | undefined;
  /**
   * "compaction": by `processors`. "sliding_window": the newest messages that fit, without gaps.
   * @default "compaction"
   */
  readonly mode?: "compaction" | "sliding_window" | undefined;
  /**
   * What a sliding window leaves free of `thresholdTokens`, 0..0.99.
   * @default 0.1
   */
  readonly slidingHeadroom?: number | undefined;
  /**
   * In this order, until the context is small enough.
   * @default ["tool_truncation", "offload", "summarization", "backward_packing"]
   */
  readonly processors?: readonly ProcessorName[] | undefined;
  /** @default [] */
  readonly excludedProcessors?: readonly ProcessorName[] | undefined;
  /**
   * When it is looked whether the context has grown too large: as messages are added by the window, as they are read.
   * @default ["add", "messages"]
   */
  readonly triggers?: readonly ("add" | "messages")[] | undefined;
  /**
   * What an image counts for, 0..1000000.
   * @default 800
   */
  readonly imageTokens?: number | undefined;
  /**
   * From the n-th newest message of the assistant on, messages stay as they are: 1..1000. Where there is none, all do.
   * @default 1
   */
  readonly graceRounds?: number | undefined;
  /**
   * What a result of a tool is cut to, 1..1000000.
   * @default 1200
   */
  readonly toolResultTokensMax?: number | undefined;
  /**
   * Results of tools with more tokens are offloaded, 1..1000000.
   * @default 2000
   */
  readonly offloadTokensMin?: number | undefined;
  /**
   * How many characters of an offloaded text stay in its place, 0..100000.
   * @default 200
   */
  readonly offloadPreviewLength?: number | undefined;
  /**
   * What the model may write as a summary, 1..1000000.
   * @default 6000
   */
  readonly summaryTokensMax?: number | undefined;
  /**
   * What the model is given to summarise at once, 1..100000000; more is summarised in parts. 0: a quarter
   * more than `thresholdTokens`, so that what has just become too much is one part.
   * @default 0
   */
  readonly summaryInputTokensMax?: number | undefined;
  /**
   * Tells the model that summarises what the leading system message says.
   * @default true
   */
  readonly includeOriginalInstruction?: boolean | undefined;
  /**
   * Shows the images to the model that summarises; otherwise it is told where they are.
   * @default false
   */
  readonly includeImages?: boolean | undefined;
  /**
   * How many images a summary keeps, the newest first, 0..1000; null: as many as the model wants kept and half of a
   * request may hold. After "too_large" null is 5.
   * @default null
   */
  readonly retainedImagesMax?: number | null | undefined;
  /**
   * Whose requests are bounded, in bytes.
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
    throw new TypeError(`${name} must be a number of 0..0.99, got ${String(value)}`);
  }
}

function listOption(...values: readonly string[]): OptionRule {
  const rule = choiceOption(...values);
  return (value, name) => {
    if (!Array.isArray(value)) throw new TypeError(`${name} must be a list`);
    if (new Set(value).size < value.length) throw new TypeError(`${name} names one twice`);
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

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveContextOptions(input: ContextOptions): ResolvedContextOptions {
  return resolveOptions<ResolvedContextOptions>(input, CONTEXT_DEFAULTS, RULES);
}
