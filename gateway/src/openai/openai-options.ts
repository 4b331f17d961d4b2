import { choiceOption, integerOption, type OptionRule, resolveOptions, stringOption } from "@membus/protocol";

/**
 * What memory is to a turn: "off" is nothing; "static" is put before the model, and keeps each turn; "agent" is looked
 * at and written by the model, with tools; "both" is both.
 */
export const MEMORY_MODES = ["off", "static", "agent", "both"] as const;
export type MemoryMode = (typeof MEMORY_MODES)[number];

/** `upstream` must be given. */
export interface OpenAiOptions {
  /** Base URL of the model server, up to `/chat/completions` or `/responses`, without credentials, query or fragment. */
  readonly upstream: string;
  /**
   * Sent upstream as bearer token. "": where the gateway has no tokens, the caller's own `Authorization`, else none. Never in
   * an answer or a log.
   * @default ""
   */
  readonly key?: string;
  /**
   * Whose memory it is where neither the token nor the request names an agent.
   * @default "openai"
   */
  readonly agent?: string;
  /**
   * The mode of a request that names none: "off", "static", "agent" or "both".
   * @default "static"
   */
  readonly mode?: MemoryMode;
  /**
   * Largest request, in bytes, 1024..1073741824; a larger one is answered 413.
   * @default 16777216
   */
  readonly requestBytesMax?: number;
  /**
   * Requests at once, 1..100000; one more is answered 503.
   * @default 512
   */
  readonly requestCountMax?: number;
  /**
   * Bytes of all requests under way, 1024..1099511627776; one that does not fit beside the others is answered 503.
   * @default 268435456
   */
  readonly requestsBytesMax?: number;
  /**
   * Bytes of an answer that are kept for recording it, and of one event of a stream, 1024..1073741824. A longer answer is
   * passed on all the same, and not recorded; in the modes "agent" and "both" a longer event cuts the stream. What repeats its
   * request, as responses do, may be longer by three times that.
   * @default 131072
   */
  readonly answerBytesMax?: number;
  /**
   * How long the upstream may be silent, and a client take nothing, before the request ends. Milliseconds, 1..300000.
   * @default 300000
   */
  readonly upstreamTimeoutMs?: number;
  /**
   * How long a request waits for memory, before and after, in which it is done without. Milliseconds, 1..60000.
   * @default 2000
   */
  readonly memoryTimeoutMs?: number;
}

export type ResolvedOpenAiOptions = Readonly<Required<OpenAiOptions>>;

export const OPENAI_DEFAULTS: Readonly<Required<Omit<OpenAiOptions, "upstream">>> = Object.freeze({
  key: "",
  agent: "openai",
  mode: "static",
  requestBytesMax: 16 * 1024 * 1024,
  requestCountMax: 512,
  requestsBytesMax: 256 * 1024 * 1024,
  answerBytesMax: 128 * 1024,
  upstreamTimeoutMs: 300_000,
  memoryTimeoutMs: 2_000,
});

const upstreamOption: OptionRule = (value, name) => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (!isBase || url.username !== "" || url.password !== "") {
    throw new TypeError(`${name} must be an http or https URL without credentials, query and fragment`);
  }
};

const keyOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || !/^[\x21-\x7e]*$/.test(value)) {
    throw new TypeError(`${name} must be a text of printable characters`);
  }
};

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveOpenAiOptions(input: OpenAiOptions): ResolvedOpenAiOptions {
  return resolveOptions<ResolvedOpenAiOptions>(
    input,
    { ...OPENAI_DEFAULTS, upstream: "" },
    {
      upstream: upstreamOption,
      key: keyOption,
      agent: stringOption,
      mode: choiceOption(...MEMORY_MODES),
      requestBytesMax: integerOption(1_024, 2 ** 30),
      requestCountMax: integerOption(1, 100_000),
      requestsBytesMax: integerOption(1_024, 2 ** 40),
      answerBytesMax: integerOption(1_024, 2 ** 30),
      upstreamTimeoutMs: integerOption(1, 300_000),
      memoryTimeoutMs: integerOption(1, 60_000),
    },
  );
}
