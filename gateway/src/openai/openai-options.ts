import { choiceOption, integerOption, type OptionRule, resolveOptions, stringOption } from "@membus/protocol";

/**
 * How a turn uses memory. "off": not at all. "static": memories are put into the prompt, and the turn is
 * recorded. "agent": the model reads and writes memory with tools. "both": static and agent.
 */
export const MEMORY_MODES = ["off", "static", "agent", "both"] as const;
export type MemoryMode = (typeof MEMORY_MODES)[number];

/** `upstream` is required. */
export interface OpenAiOptions {
  /** Base URL of the model server, up to `/chat/completions` or `/responses`, without credentials, query or fragment. */
  readonly upstream: string;
  /**
   * Bearer token for the upstream. "": the caller's own `Authorization` if the gateway has no tokens,
   * otherwise none. Never sent to clients or logged.
   *
   * @default ""
   */
  readonly key?: string;
  /**
   * Agent of requests without an agent in their token and headers.
   *
   * @default "openai"
   */
  readonly agent?: string;
  /**
   * Mode of requests that name none: "off", "static", "agent" or "both".
   *
   * @default "static"
   */
  readonly mode?: MemoryMode;
  /**
   * Largest request in bytes, 1024..1073741824. A larger request is answered 413.
   *
   * @default 16777216
   */
  readonly requestBytesMax?: number;
  /**
   * Number of open requests, 1..100000. One more is answered 503.
   *
   * @default 512
   */
  readonly requestCountMax?: number;
  /**
   * Bytes of all open requests, 1024..1099511627776. A request that exceeds it is answered 503.
   *
   * @default 268435456
   */
  readonly requestsBytesMax?: number;
  /**
   * Bytes of an answer that are kept for recording, and of one event of a stream, 1024..1073741824. A longer
   * answer is passed on but not recorded. A longer event cuts the stream in the modes "agent" and "both".
   * Answers that repeat their request, such as responses, may be longer by three times its size.
   *
   * @default 131072
   */
  readonly answerBytesMax?: number;
  /**
   * Time without data from the upstream or to the client after which a request ends. Milliseconds, 1..300000.
   *
   * @default 300000
   */
  readonly upstreamTimeoutMs?: number;
  /**
   * Time that a request waits for memory before and after the model. The request then goes on without memory.
   * Milliseconds, 1..60000.
   *
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
    throw new TypeError(`${name} must be a string of printable ASCII characters`);
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
