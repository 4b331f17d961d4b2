import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

/**
 * How a turn uses memory. "off": not at all. "static": memories are put into the prompt, and the turn is
 * recorded. "agent": the model reads and writes memory with tools. "both": static and agent.
 */
export const MEMORY_MODES = ["off", "static", "agent", "both"] as const;
export type MemoryMode = (typeof MEMORY_MODES)[number];

const MIB = 1024 * 1024;

export const OpenAiOptionsSchema = optionSet({
  /**
   * Base URL of the model server, up to `/chat/completions` or `/responses`, without credentials, query or
   * fragment.
   */
  upstream: option.baseUrl(),
  /**
   * Bearer token for the upstream. "": the caller's own `Authorization` if the gateway has no tokens,
   * otherwise none. Never sent to clients or logged.
   */
  key: option.apiKey().default(""),
  /** Agent of requests without an agent in their token and headers. */
  agent: option.text().default("openai"),
  /** Mode of requests without a mode. */
  mode: option.choice(...MEMORY_MODES).default("static"),
  /** Largest request in bytes. A larger request is answered 413. */
  requestBytesMax: option.integer(1_024, 2 ** 30).default(16 * MIB),
  /** Number of open requests. One more is answered 503. */
  requestCountMax: option.integer(1, 100_000).default(512),
  /** Bytes of all open requests. A request that exceeds it is answered 503. */
  requestsBytesMax: option.integer(1_024, 2 ** 40).default(256 * MIB),
  /**
   * Bytes of an answer that are kept for recording, and of one event of a stream. A longer answer is passed on
   * but not recorded. A longer event cuts the stream in the modes "agent" and "both". Answers that repeat
   * their request, such as responses, may be longer by three times its size.
   */
  answerBytesMax: option.integer(1_024, 2 ** 30).default(128 * 1024),
  /** Milliseconds without data from the upstream or to the client after which a request ends. */
  upstreamTimeoutMs: option.integer(1, 300_000).default(300_000),
  /**
   * Milliseconds that a request waits for memory before and after the model. The request then goes on without
   * memory.
   */
  memoryTimeoutMs: option.integer(1, 60_000).default(2_000),
});

export interface OpenAiOptions extends OptionsOf<typeof OpenAiOptionsSchema> {}
export interface ResolvedOpenAiOptions extends ResolvedOptionsOf<typeof OpenAiOptionsSchema> {}
