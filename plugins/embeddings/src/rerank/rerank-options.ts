import {
  choiceOption,
  integerOption,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import { apiKeyOption, baseUrlOption } from "../http/provider-options.js";

/** `baseURL` and `model` are required. */
export interface HttpRerankerOptions {
  /**
   * URL of the API without `/rerank`, such as `https://api.example.com/v1`. Must not contain credentials,
   * query or fragment.
   */
  readonly baseURL: string;
  readonly model: string;
  /**
   * API key, sent as bearer token. Empty: no `Authorization` header. Never logged and never in an error.
   * @default ""
   */
  readonly apiKey?: string | undefined;
  /**
   * Scale of the server's scores. `unit`: from 0 to 1, other values are an error. `logits`: any number,
   * converted with the logistic function.
   * @default "unit"
   */
  readonly scores?: "unit" | "logits" | undefined;
  /**
   * Maximum texts per call, integer 1..1000. More are `too_large`.
   * @default 100
   */
  readonly textCountMax?: number | undefined;
  /**
   * Maximum UTF-8 bytes of the query and of each text, integer 16..1048576. Longer texts are cut.
   * @default 8192
   */
  readonly textBytesMax?: number | undefined;
  /**
   * Maximum UTF-8 bytes of a query and its texts together, after cutting, integer 1024..67108864. More is
   * `too_large`.
   * @default 1048576
   */
  readonly requestBytesMax?: number | undefined;
  /**
   * Maximum concurrent requests, integer 1..64. Further calls are queued.
   * @default 4
   */
  readonly concurrencyMax?: number | undefined;
  /**
   * Timeout of a call, from queueing to the end of the reply, in milliseconds, integer 1..600000.
   * @default 2000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum bytes of one reply, integer 1024..1073741824. Some servers repeat the texts in it.
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

/** Placeholders for required options. The rules of these options refuse the values. */
const ABSENT = Object.freeze({ baseURL: "", model: "" });

/** @throws {TypeError} For a missing or unknown option, or a value out of range. */
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
