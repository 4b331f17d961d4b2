import { connectionOptions } from "@membus/openai-client";
import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

export const OpenAiChatOptionsSchema = optionSet({
  ...connectionOptions(16 * 1024 * 1024),
  /** URL of the API, without `/chat/completions`, credentials, query or fragment. */
  baseUrl: option.baseUrl().default("https://api.openai.com/v1"),
  /** Timeout of a call including its retries, or of the next part of a stream, in milliseconds. */
  timeoutMs: option.integer(1, 3_600_000).default(60_000),
  /**
   * Maximum number of retries within one call after a lost connection, 408, 409, 429 or 5xx. `generateObject`
   * and `runAgent` retry on their own. This option is for direct calls of `complete`.
   */
  retryCountMax: option.integer(0, 10).default(0),
  /**
   * Role that replaces "developer". OpenAI treats "system" the same way. Many compatible servers accept only
   * "system".
   */
  developerRole: option.choice("system", "developer").default("system"),
  /**
   * Field for `maxOutputTokens`. OpenAI's reasoning models reject "max_tokens". Some compatible servers
   * accept only that.
   */
  outputTokensField: option.choice("max_completion_tokens", "max_tokens").default("max_completion_tokens"),
});

/** Options of `openaiChatModel`. `model` is required. */
export interface OpenAiChatOptions extends OptionsOf<typeof OpenAiChatOptionsSchema> {}
export interface ResolvedOpenAiChatOptions extends ResolvedOptionsOf<typeof OpenAiChatOptionsSchema> {}
