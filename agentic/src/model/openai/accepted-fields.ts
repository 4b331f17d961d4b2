import { ProviderError } from "@membus/openai-client";
import type { ResolvedOpenAiChatOptions } from "./openai-options.js";

/** Fields of a request that some providers reject. */
export interface OptionalFields {
  readonly stream_options?: object;
  readonly response_format?: object;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

/** The optional fields of a request that a provider accepts, as far as its errors have shown. */
export interface AcceptedFields {
  /** Whether it accepts `response_format` with a JSON Schema. */
  readonly schemas: boolean;
  /** Whether it accepts `stream_options`, which requests the usage. */
  readonly streamOptions: boolean;
  readonly tokensField: "max_completion_tokens" | "max_tokens";
  /** Whether `tokensField` may still be replaced by the other one. */
  readonly isFieldOpen: boolean;
  /** Largest output limit that fits into the context with the prompt. */
  readonly tokensMax: number;
}

/** The accepted fields after a rejection. */
export interface Adaptation {
  readonly accepted: AcceptedFields;
  /** True if only this request is affected. */
  readonly isOnce: boolean;
}

const REJECTED_STATUSES: readonly number[] = [400, 404, 415, 422, 501];

/** Smallest output limit that a request falls back to, in tokens. */
const TOKENS_MIN = 256;

export function initialFields({ baseUrl, outputTokensField }: ResolvedOpenAiChatOptions): AcceptedFields {
  const isOpenAi = /(^|\.)(openai\.com|azure\.com)$/.test(new URL(baseUrl).hostname);
  const automatic = isOpenAi ? "max_completion_tokens" : "max_tokens";
  const tokensField = outputTokensField === "auto" ? automatic : outputTokensField;
  const isFieldOpen = outputTokensField === "auto";
  return {
    schemas: true,
    streamOptions: true,
    tokensField,
    isFieldOpen,
    tokensMax: Number.POSITIVE_INFINITY,
  };
}

/**
 * Returns the fields with which a rejected request can be sent again, or undefined if the rejection has another
 * reason. Each call removes, replaces or lowers one field of `body`, so the attempts end.
 */
export function adaptFields(
  error: unknown,
  body: OptionalFields,
  accepted: AcceptedFields,
): Adaptation | undefined {
  if (!(error instanceof ProviderError) || !REJECTED_STATUSES.includes(error.status ?? 0)) return undefined;
  const details = `${error.text} ${error.param ?? ""} ${error.code ?? ""}`;
  if (body.stream_options !== undefined && /stream_options|include_usage/i.test(details)) {
    return { accepted: { ...accepted, streamOptions: false }, isOnce: false };
  }
  const limit = body[accepted.tokensField];
  if (limit !== undefined && /max_(completion_)?tokens/i.test(details)) {
    return adaptLimit(details, limit, accepted);
  }
  if (body.response_format === undefined || !/response_format|schema|structured output/i.test(details)) {
    return undefined;
  }
  return { accepted: { ...accepted, schemas: false }, isOnce: /invalid.{0,10}schema/i.test(details) };
}

/** Replaces the field of the limit if the provider does not know it. Otherwise lowers the limit. */
function adaptLimit(details: string, limit: number, accepted: AcceptedFields): Adaptation | undefined {
  const isUnknown = /unsupported|not supported|unknown|unrecognized|extra|not permitted/i.test(details);
  if (isUnknown && accepted.isFieldOpen) {
    const tokensField = accepted.tokensField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return { accepted: { ...accepted, tokensField, isFieldOpen: false }, isOnce: false };
  }
  const tokensMax = Math.floor(limit / 4);
  return tokensMax < TOKENS_MIN ? undefined : { accepted: { ...accepted, tokensMax }, isOnce: true };
}
