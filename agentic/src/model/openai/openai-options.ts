import {
  choiceOption,
  integerOption,
  type OptionRule,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";

/** `model` must be given. */
export interface OpenAiChatOptions {
  readonly model: string;
  /**
   * Sent as bearer token; empty: no `Authorization` header. Never in an error.
   * @default ""
   */
  readonly apiKey?: string | undefined;
  /**
   * Where the API is, up to `/chat/completions`. Without credentials, query or fragment.
   * @default "https://api.openai.com/v1"
   */
  readonly baseUrl?: string | undefined;
  /**
   * Longest time a call may take, its retries included; of a stream, the longest until its next part. Milliseconds,
   * integer 1..3600000.
   * @default 60000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Further attempts within one call after a lost connection, 408, 409, 429 or 5xx, integer 0..10. `askFor` and `runAgent`
   * repeat calls themselves, on the clock of their meter: this is for who calls `complete` without them.
   * @default 0
   */
  readonly retryCountMax?: number | undefined;
  /**
   * Size of one reply in bytes, a streamed one as it is sent, integer 1024..1073741824.
   * @default 16777216
   */
  readonly responseBytesMax?: number | undefined;
  /**
   * The role that "developer" is sent as. OpenAI takes "system" for the same; many compatible servers know nothing else.
   * @default "system"
   */
  readonly developerRole?: "system" | "developer" | undefined;
  /**
   * The field that `maxOutputTokens` is sent as. OpenAI's reasoning models refuse "max_tokens"; some compatible servers
   * know nothing else.
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

/** It may be shown, so it must not hold a secret; the message does not repeat it for the same reason. */
const baseUrlOption: OptionRule = (value, name) => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && !(url.username + url.password + url.search + url.hash);
  if (!isPlain) throw new TypeError(`${name} must be an http(s) URL without credentials, query or fragment`);
};

/** What a header can carry. A key that cannot would appear in the error that refuses the header. */
const apiKeyOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || !/^[!-~]*$/.test(value)) {
    throw new TypeError(`${name} must be printable ASCII without spaces`);
  }
};
