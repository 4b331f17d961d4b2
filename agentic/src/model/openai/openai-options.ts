import { connectionOptions } from "@membus/openai-client";
import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

export const OpenAiChatOptionsSchema = optionSet({
  ...connectionOptions(16 * 1024 * 1024),
  /** URL of the API, without `/chat/completions`, credentials, query or fragment. */
  baseUrl: option.baseUrl().default("https://api.openai.com/v1"),
  /**
   * Tokens of the model's context. 0: reported by the server (llama-server, vLLM, Ollama, LM Studio, OpenRouter,
   * Groq, Mistral).
   */
  contextTokens: option.integer(0, 100_000_000).default(0),
  /**
   * Maximum time until the first part of a reply, including retries, in milliseconds. A local model reads the
   * whole prompt before it: raise this for a slow one.
   */
  firstTokenTimeoutMs: option.integer(1, 86_400_000).default(60_000),
  /** Maximum time between two parts of a reply in milliseconds. */
  pauseTimeoutMs: option.integer(1, 86_400_000).default(60_000),
  /** Maximum time of a whole reply in milliseconds. The time that the reader of a stream takes does not count. */
  timeoutMs: option.integer(1, 86_400_000).default(600_000),
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
   * Field for `maxOutputTokens`. OpenAI's reasoning models reject "max_tokens". Many compatible servers accept
   * only that. "auto" selects "max_completion_tokens" for OpenAI and Azure and "max_tokens" for other servers,
   * and the other one after a rejection.
   */
  outputTokensField: option.choice("auto", "max_completion_tokens", "max_tokens").default("auto"),
  /** Maximum output limit that is sent, in tokens. Lower it for a model with a small context. */
  outputTokensMax: option.integer(16, 1_000_000).default(8_192),
  /** Tokens for thinking that are added to the output limit of an answer that fills a schema. */
  reasoningTokensMax: option.integer(0, 1_000_000).default(2_048),
});

/** Options of `openaiChatModel`. `model` is required. */
export interface OpenAiChatOptions extends OptionsOf<typeof OpenAiChatOptionsSchema> {}
export interface ResolvedOpenAiChatOptions extends ResolvedOptionsOf<typeof OpenAiChatOptionsSchema> {}
