import {
  choiceOption,
  integerOption,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import { apiKeyOption, baseUrlOption } from "../http/provider-options.js";

/** `baseURL` and `model` must be given. */
export interface HttpRerankerOptions {
  /** Where the API is, up to `/rerank`: `https://api.example.com/v1`. Without credentials, query or fragment. */
  readonly baseURL: string;
  readonly model: string;
  /**
   * Sent as bearer token; empty: no `Authorization` header. Never logged and never in an error.
   * @default ""
   */
  readonly apiKey?: string | undefined;
  /**
   * What the server's scores are: `unit`, from 0 to 1, where another is an error; or `logits`, any number, of which
   * the logistic function is taken.
   * @default "unit"
   */
  readonly scores?: "unit" | "logits" | undefined;
  /**
   * Texts of one call, integer 1..1000. More are `too_large`.
   * @default 100
   */
  readonly textCountMax?: number | undefined;
  /**
   * UTF-8 bytes of the query, and of each text, integer 16..1048576. A longer one counts by its beginning.
   * @default 8192
   */
  readonly textBytesMax?: number | undefined;
  /**
   * UTF-8 bytes of a query and its texts together, after they were shortened, integer 1024..67108864. More is `too_large`.
   * @default 1048576
   */
  readonly requestBytesMax?: number | undefined;
  /**
   * Requests at the same time, integer 1..64. Further calls wait for their turn.
   * @default 4
   */
  readonly concurrencyMax?: number | undefined;
  /**
   * Longest time a call may take, from waiting for its turn to the end of the reply. Milliseconds, integer 1..600000.
   * @default 2000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Size of one reply in bytes, integer 1024..1073741824. Some servers repeat the texts in it.
   * @default 4194304
   */
  readonly responseBytesMax?: number | undefined;
}

export type ResolvedHttpRerankerOptions = ResolvedOptions<HttpRerankerOptions>;

export const HTTP_RERANKER_DEFAULTS = Object.freeze({
  apiKey: "",
  scores: "unit" as const,
  textCountMax: 100,
  textBytesMax: 8 * 1024,
  requestBytesMax: 1024 * 1024,
  concurrencyMax: 4,
  timeoutMs: 2_000,
  responseBytesMax: 4 * 1024 * 1024,
});

/** The options that must be given: their own rules refuse these values. */
const ABSENT = Object.freeze({ baseURL: "", model: "" });

/** @throws {TypeError} for a missing or unknown option, or a value out of range. */
export function resolveHttpRerankerOptions(input: HttpRerankerOptions): ResolvedHttpRerankerOptions {
  return resolveOptions<ResolvedHttpRerankerOptions>(
    input,
    { ...HTTP_RERANKER_DEFAULTS, ...ABSENT },
    {
      baseURL: baseUrlOption,
      model: stringOption,
      apiKey: apiKeyOption,
      scores: choiceOption("unit", "logits"),
      textCountMax: integerOption(1, 1_000),
      textBytesMax: integerOption(16, 1024 * 1024),
      requestBytesMax: integerOption(1_024, 64 * 1024 * 1024),
      concurrencyMax: integerOption(1, 64),
      timeoutMs: integerOption(1, 600_000),
      responseBytesMax: integerOption(1_024, 1024 * 1024 * 1024),
    },
  );
}
