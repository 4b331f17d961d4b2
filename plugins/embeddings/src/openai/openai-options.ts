import {
  booleanOption,
  integerOption,
  LIMITS,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import { apiKeyOption, baseUrlOption } from "../http/provider-options.js";
import { prefixOption } from "../prefix.js";

/** `baseURL`, `model` and `dimensions` are required. */
export interface OpenAiEmbedderOptions {
  /**
   * URL of the API without `/embeddings`, such as `https://api.openai.com/v1`. Must not contain credentials,
   * query or fragment.
   */
  readonly baseURL: string;
  readonly model: string;
  /**
   * Number of components of the model's vectors, integer 1..4096. A reply with another number is an error.
   */
  readonly dimensions: number;
  /**
   * API key, sent as bearer token. Empty: no `Authorization` header. Never logged and never in an error.
   * @default ""
   */
  readonly apiKey?: string | undefined;
  /**
   * Whether to ask the provider to shorten its vectors to `dimensions`. Only some models support that.
   * @default false
   */
  readonly requestDimensions?: boolean | undefined;
  /**
   * Prefix of every query, which some models require.
   * @default ""
   */
  readonly queryPrefix?: string | undefined;
  /**
   * Prefix of every document.
   * @default ""
   */
  readonly documentPrefix?: string | undefined;
  /**
   * Maximum texts per request, integer 1..2048.
   * @default 64
   */
  readonly batchSize?: number | undefined;
  /**
   * Maximum UTF-8 bytes of the texts per request, integer 1..16777216. A longer text is sent in its own
   * request. A token has at least one byte, so the default is below OpenAI's limit of 300,000 tokens per
   * request.
   * @default 262144
   */
  readonly batchBytesMax?: number | undefined;
  /**
   * Maximum UTF-8 bytes of one text with its prefix, integer 1..1048576. A longer text is `too_large`.
   * @default 32768
   */
  readonly textBytesMax?: number | undefined;
  /**
   * Maximum concurrent requests over all calls of `embed`, integer 1..64.
   * @default 4
   */
  readonly concurrencyMax?: number | undefined;
  /**
   * Timeout of one attempt, up to the end of the reply, in milliseconds, integer 1..600000.
   * @default 10000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of retries after a timeout, a lost connection, 408, 409, 429 or 5xx, integer 0..10.
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum `Retry-After` to wait for before a retry, in milliseconds, integer 0..60000. If the provider
   * requires more, the call fails immediately with `retry_after_ms`. A failed attempt without `Retry-After`
   * is retried after 0.5 s, 1 s, 2 s and so on up to 8 s.
   * @default 8000
   */
  readonly retryAfterMsMax?: number | undefined;
  /**
   * Maximum bytes of one reply, integer 1024..1073741824.
   * @default 67108864
   */
  readonly responseBytesMax?: number | undefined;
}

export type ResolvedOpenAiEmbedderOptions = ResolvedOptions<OpenAiEmbedderOptions>;

export const OPENAI_EMBEDDER_DEFAULTS = Object.freeze({
  apiKey: "",
  requestDimensions: false,
  queryPrefix: "",
  documentPrefix: "",
  batchSize: 64,
  batchBytesMax: 256 * 1024,
  textBytesMax: 32 * 1024,
  concurrencyMax: 4,
  timeoutMs: 10_000,
  maxRetries: 2,
  retryAfterMsMax: 8_000,
  responseBytesMax: 64 * 1024 * 1024,
});

/** Placeholders for required options. The rules of these options refuse the values. */
const ABSENT = Object.freeze({ baseURL: "", model: "", dimensions: 0 });

/** @throws {TypeError} For a missing or unknown option, or a value out of range. */
export function resolveOpenAiEmbedderOptions(input: OpenAiEmbedderOptions): ResolvedOpenAiEmbedderOptions {
  return resolveOptions<ResolvedOpenAiEmbedderOptions>(
    input,
    { ...OPENAI_EMBEDDER_DEFAULTS, ...ABSENT },
    {
      baseURL: baseUrlOption,
      model: stringOption,
      dimensions: integerOption(1, LIMITS.embeddingDimensions),
      apiKey: apiKeyOption,
      requestDimensions: booleanOption,
      queryPrefix: prefixOption,
      documentPrefix: prefixOption,
      batchSize: integerOption(1, 2_048),
      batchBytesMax: integerOption(1, 16 * 1024 * 1024),
      textBytesMax: integerOption(1, 1024 * 1024),
      concurrencyMax: integerOption(1, 64),
      timeoutMs: integerOption(1, 600_000),
      maxRetries: integerOption(0, 10),
      retryAfterMsMax: integerOption(0, 60_000),
      responseBytesMax: integerOption(1_024, 1024 * 1024 * 1024),
    },
  );
}
