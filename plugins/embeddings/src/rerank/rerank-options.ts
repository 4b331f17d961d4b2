import { connectionOptions } from "@membus/openai-client";
import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

const MIB = 1024 * 1024;

export const HttpRerankerOptionsSchema = optionSet({
  ...connectionOptions(4 * MIB),
  /**
   * Scale of the server's scores. `unit`: from 0 to 1, other values are an error. `logits`: any number,
   * converted with the logistic function.
   */
  scores: option.choice("unit", "logits").default("unit"),
  /** Maximum texts per call. More are `too_large`. */
  textCountMax: option.integer(1, 1_000).default(100),
  /** Maximum UTF-8 bytes of the query and of each text. Longer texts are cut. */
  textBytesMax: option.integer(16, MIB).default(8 * 1024),
  /** Maximum UTF-8 bytes of a query and its texts together, after cutting. More is `too_large`. */
  requestBytesMax: option.integer(1_024, 64 * MIB).default(MIB),
  /** Maximum concurrent requests. Further calls are queued. */
  concurrencyMax: option.integer(1, 64).default(4),
  /** Timeout of a call, from queueing to the end of the reply, in milliseconds. */
  timeoutMs: option.integer(1, 600_000).default(2_000),
});

/** `baseUrl` and `model` are required. */
export interface HttpRerankerOptions extends OptionsOf<typeof HttpRerankerOptionsSchema> {}
export interface ResolvedHttpRerankerOptions extends ResolvedOptionsOf<typeof HttpRerankerOptionsSchema> {}
