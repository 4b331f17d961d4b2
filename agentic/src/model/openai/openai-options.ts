import {
  choiceOption,
  integerOption,
  type OptionRule,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";

/** Options of `openaiChatModel`. `model` is required. */
export interface OpenAiChatOptions {
  readonly model: string;
  /**
   * Bearer token. "": no `Authorization` header. It never appears in an error.
   * @default ""
   */
  readonly apiKey?: string | undefined;
  /**
   * URL of the API, without `/chat/completions`, credentials, query or fragment.
   * @default "https://api.openai.com/v1"
   */
  readonly baseUrl?: string | undefined;
  /**
   * Timeout of a call including its retries, or of the next part of a stream. Milliseconds, integer
   * 1..3600000.
   * @default 60000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum number of retries within one call after a lost connection, 408, 409, 429 or 5xx, integer 0..10.
   * `generateObject` and `runAgent` retry on their own. This option is for direct calls of `complete`.
   * @default 0
   */
  readonly retryCountMax?: number | undefined;
  /**
   * Maximum size of a reply in bytes, also of a streamed one, integer 1024..1073741824.
   * @default 16777216
   */
  readonly responseBytesMax?: number | undefined;
  /**
   * Role that replaces "developer". OpenAI treats "system" the same way. Many compatible servers accept only
   * "system".
   * @default "system"
   */
  readonly developerRole?: "system" | "developer" | undefined;
  /**
   * Field for `maxOutputTokens`. OpenAI's reasoning models reject "max_tokens". Some compatible servers
   * accept only that.
   * @default "max_completion_tokens"
   */
  readonly outputTokensField?: "max_completion_tokens" | "max_tokens" | undefined;
}

export type ResolvedOpenAiChatOptions = ResolvedOptions<OpenAiChatOptions>;

export const OPENAI_CHAT_DEFAULTS = Object.freeze({
  apiKey: "",
  baseUrl: "https://api.openai.com/v1",
  timeoutMs: 60_000,
  retryCountMax: 0,
  responseBytesMax: 16 * 1024 * 1024,
  developerRole: "system" as const,
  outputTokensField: "max_completion_tokens" as const,
});

/** @throws {TypeError} for a missing or unknown option, or a value out of range. */
export function resolveOpenAiChatOptions(input: OpenAiChatOptions): ResolvedOpenAiChatOptions {
  return resolveOptions<ResolvedOpenAiChatOptions>(
    input,
    { ...OPENAI_CHAT_DEFAULTS, model: "" },
    {
      model: stringOption,
      apiKey: apiKeyOption,
      baseUrl: baseUrlOption,
      timeoutMs: integerOption(1, 3_600_000),
      retryCountMax: integerOption(0, 10),
      responseBytesMax: integerOption(1_024, 1024 * 1024 * 1024),
      developerRole: choiceOption("system", "developer"),
      outputTokensField: choiceOption("max_completion_tokens", "max_tokens"),
    },
  );
}

/**
 * The URL may be displayed, so it must not contain a secret. For the same reason the message does not repeat
 * it.
 */
const baseUrlOption: OptionRule = (value, name) => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && !(url.username + url.password + url.search + url.hash);
  if (!isPlain) throw new TypeError(`${name} must be an http(s) URL without credentials, query or fragment`);
};

/**
 * Characters that are valid in a header. Otherwise the error about the invalid header would contain the key.
 */
const apiKeyOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || !/^[!-~]*$/.test(value)) {
    throw new TypeError(`${name} must be printable ASCII without spaces`);
  }
};
