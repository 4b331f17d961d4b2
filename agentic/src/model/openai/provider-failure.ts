import type { ProviderError } from "@membus/openai-client";
import type { TokenUsage } from "../chat-model.js";
import { ModelError, type ModelErrorCode } from "../model-error.js";

/** Converts an error of the client, which becomes the cause. `usage` counts the incomplete reply. */
export function modelError(error: ProviderError, usage: TokenUsage | undefined): ModelError {
  const { message, retryAfterMs, context } = error;
  const contextTokens = context?.contextTokens;
  return new ModelError(codeOf(error), message, { retryAfterMs, usage, contextTokens, cause: error });
}

function codeOf({ failure, code, context }: ProviderError): ModelErrorCode {
  if (context !== undefined || failure === "too_large") return "too_large";
  if (code === "content_filter" || code === "content_policy_violation") return "refused";
  if (failure === "invalid_reply" || failure === "reply_too_long") return "invalid_output";
  return failure;
}
