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

/** `baseURL`, `model` and `dimensions` must be given. */
export interface OpenAiEmbedderOptions {
  /** Where the API is, up to `/embeddings`: `https://api.openai.com/v1`. Without credentials, query or fragment. */
  readonly baseURL: string;
  readonly model: string;
  /** Components of the model's vectors, integer 1..4096. A reply with another number is an error. */
  readonly dimensions: number;
  /**
   * Sent as bearer token; empty: no `Authorization` header. Never logged and never in an error.
   * @default ""
   */
  readonly apiKey?: string | undefined;
  /**
   * Whether to ask the provider to shorten its vectors to `dimensions`. Only some models accept that.
   * @default false
   */
  readonly requestDimensions?: boolean | undefined;
  /**
   * Put before every query, as some models want.
   * @default ""
   */
  readonly queryPrefix?: string | undefined;
  /**
   * Put before every document.
   * @default ""
   */
  readonly documentPrefix?: string | undefined;
  /**
   * Texts of one request, integer 1..2048.
   * @default 64
   */
  readonly batchSize?: number | undefined;
  /**
   * UTF-8 bytes of the texts of one request, integer 1..16777216; a longer text goes alone. A token is at
   * least a byte, so the default stays below the 300,000 tokens that OpenAI accepts in one request.
   * @default 262144
   */
  readonly batchBytesMax?: number | undefined;
  /**
   * UTF-8 bytes of one text with its prefix, integer 1..1048576. A longer one is `too_large`.
   * @default 32768
   */
  readonly textBytesMax?: number | undefined;
  /**
   * Requests at the same time, over all calls of `embed`, integer 1..64.
   * @default 4
   */
  readonly concurrencyMax?: number | undefined;
  /**
   * Longest time one attempt may take, to the end of the reply. Milliseconds, integer 1..600000.
   * @default 10000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Further attempts after a timeout, a lost connection, 408, 409, 429 or 5xx, integer 0..10.
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * Longest `Retry-After` to wait for before another attempt. When the provider asks for more, the call fails
   * at once and says how much. Milliseconds, integer 0..60000. A failed attempt without `Retry-After` is
   * repeated after 0.5 s, 1 s, 2 s and so on up to 8 s.
   * @default 8000
   */
  readonly retryAfterMsMax?: number | undefined;
  /**
   * Size of one reply in bytes, integer 1024..1073741824.
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

/** The options that must be given: their own rules refuse these values. */
const ABSENT = Object.freeze({ baseURL: "", model: "", dimensions: 0 });

/** @throws {TypeError} for a missing or unknown option, or a value out of range. */
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
