import type { ResolvedContextOptions } from "./context-options.js";

/** Fraction of a model's context for the messages. The rest is for the answer and for errors of the token count. */
const MESSAGES = 0.6;
/** Fraction for the messages that are summarized at once, next to the prompt and the earlier summary. */
const SUMMARY_INPUT = 1 / 4;
const SUMMARY = 1 / 8;
const TOOL_RESULT = 1 / 8;
const OFFLOAD = 1 / 4;

/** Lowers the sizes of a window so that its messages, and the requests for summaries, fit into a context. */
export function fitOptions(options: ResolvedContextOptions, contextTokens: number): ResolvedContextOptions {
  const share = (fraction: number) => Math.max(1, Math.floor(contextTokens * fraction));
  const lower = (size: number, fraction: number) => Math.min(size, share(fraction));
  return {
    ...options,
    thresholdTokens: lower(options.thresholdTokens, MESSAGES),
    summaryInputTokensMax: lower(options.summaryInputTokensMax || Number.POSITIVE_INFINITY, SUMMARY_INPUT),
    summaryTokensMax: lower(options.summaryTokensMax, SUMMARY),
    toolResultTokensMax: lower(options.toolResultTokensMax, TOOL_RESULT),
    offloadTokensMin: lower(options.offloadTokensMin, OFFLOAD),
  };
}
