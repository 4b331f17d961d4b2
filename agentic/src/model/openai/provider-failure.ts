import { ProviderError } from "@membus/openai-client";
import { ModelError, type ModelErrorCode } from "../model-error.js";

const TOO_LONG = /context.{0,10}(length|window|size)|maximum.{0,20}tokens|too (many tokens|long|large)/i;

/** Converts an error of the client, which becomes the cause. */
export function modelError(error: ProviderError): ModelError {
  const { message, retryAfterMs } = error;
  return new ModelError(codeOf(error), message, { retryAfterMs, cause: error });
}

function codeOf({ failure, status, code, text }: ProviderError): ModelErrorCode {
  if (code === "context_length_exceeded") return "too_large";
  if (failure === "too_large") return "too_large";
  if (code === "content_filter" || code === "content_policy_violation") return "refused";
  if (failure === "invalid_reply" || failure === "reply_too_long") return "invalid_output";
  return status === 400 && TOO_LONG.test(text) ? "too_large" : failure;
}

/** Returns whether the provider rejected "this" schema or "any" schema. undefined: neither. */
export function refusesSchema(error: unknown): "this" | "any" | undefined {
  if (!(error instanceof ProviderError) || ![400, 404, 415, 422, 501].includes(error.status ?? 0)) {
    return undefined;
  }
  const details = `${error.text} ${error.param ?? ""} ${error.code ?? ""}`;
  if (!/response_format|json_schema|schema|structured output/i.test(details)) return undefined;
  return /invalid.{0,10}schema/i.test(details) ? "this" : "any";
}
