import { connectionOptions } from "@membus/openai-client";
import { LIMITS, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { prefixOptions } from "../prefix.js";

const MIB = 1024 * 1024;

export const OpenAiEmbedderOptionsSchema = optionSet({
  ...connectionOptions(64 * MIB),
  ...prefixOptions,
  /** Number of components of the model's vectors. A reply with another number is an error. */
  dimensions: option.integer(1, LIMITS.embeddingDimensions),
  /** Whether to ask the provider to shorten its vectors to `dimensions`. Only some models support that. */
  requestDimensions: option.boolean().default(false),
  /** Maximum texts per request. */
  batchSize: option.integer(1, 2_048).default(64),
  /**
   * Maximum UTF-8 bytes of the texts per request. A longer text is sent in its own request. A token has at
   * least one byte, so the default is below OpenAI's limit of 300,000 tokens per request.
   */
  batchBytesMax: option.integer(1, 16 * MIB).default(256 * 1024),
  /** Maximum UTF-8 bytes of one text with its prefix. A longer text is `too_large`. */
  textBytesMax: option.integer(1, MIB).default(32 * 1024),
  /** Maximum concurrent requests over all calls of `embed`. */
  concurrencyMax: option.integer(1, 64).default(4),
  /** Timeout of one attempt, up to the end of the reply, in milliseconds. */
  timeoutMs: option.integer(1, 600_000).default(10_000),
  /** Number of retries after a timeout, a lost connection, 408, 409, 429 or 5xx. */
  retryCountMax: option.integer(0, 10).default(2),
  /**
   * Maximum `Retry-After` to wait for before a retry, in milliseconds. If the provider requires more, the
   * call fails immediately with `retry_after_ms`. A failed attempt without `Retry-After` is retried after
   * 0.5 s, 1 s, 2 s and so on up to 8 s.
   */
  retryAfterMsMax: option.integer(0, 60_000).default(8_000),
});

/** `baseUrl`, `model` and `dimensions` are required. */
export interface OpenAiEmbedderOptions extends OptionsOf<typeof OpenAiEmbedderOptionsSchema> {}
export interface ResolvedOpenAiEmbedderOptions
  extends ResolvedOptionsOf<typeof OpenAiEmbedderOptionsSchema> {}
