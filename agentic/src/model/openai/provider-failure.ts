import type { Clock } from "@membus/protocol";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { ModelError, type ModelErrorCode } from "../model-error.js";

const MESSAGE_LENGTH_MAX = 500;
const TOO_LONG = /context.{0,10}(length|window|size)|maximum.{0,20}tokens|too (many tokens|long|large)/i;

interface FailureContext {
  readonly clock: Clock;
  /** Origin only, because the path may contain secrets. */
  readonly address: string;
}

/** Converts an error of the openai package. The original error becomes the cause. */
export function providerFailure(error: unknown, { clock, address }: FailureContext): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelError("timeout", "the model provider did not answer in time", { cause: error });
  }
  if (error instanceof APIConnectionError) {
    return new ModelError("unavailable", `cannot connect to the model provider at ${address}`, {
      cause: error,
    });
  }
  if (error instanceof APIError) return statusFailure(error, clock);
  if (error instanceof RangeError) return new ModelError("invalid_output", error.message, { cause: error });
  // A syntax error quotes the reply, which may contain secrets.
  if (error instanceof SyntaxError) {
    return new ModelError("invalid_output", "the model provider sent an unreadable reply");
  }
  return new ModelError("unavailable", "the connection to the model provider was lost", { cause: error });
}

/** Errors within a stream have no status. */
function statusFailure(error: APIError, clock: Clock): ModelError {
  const { status, message } = error;
  const detail = message.slice(0, MESSAGE_LENGTH_MAX);
  const text =
    status === undefined
      ? `the model provider ended the stream with an error: ${detail}`
      : `the model provider returned an error: ${detail}`;
  const waitMs = retryAfterMs(error.headers ?? new Headers(), clock);
  return new ModelError(codeOf(error), text, { retryAfterMs: waitMs, cause: error });
}

function codeOf({ status, code, message }: APIError): ModelErrorCode {
  if (code === "context_length_exceeded" || status === 413) return "too_large";
  if (code === "content_filter" || code === "content_policy_violation") return "refused";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 429) return "rate_limited";
  if (status === 408) return "timeout";
  if (status === undefined || status === 409 || status >= 500) return "unavailable";
  return status === 400 && TOO_LONG.test(message) ? "too_large" : "invalid_request";
}

/** Returns whether the provider rejected "this" schema or "any" schema. undefined: neither. */
export function refusesSchema(error: unknown): "this" | "any" | undefined {
  if (!(error instanceof APIError) || ![400, 404, 415, 422, 501].includes(error.status)) return undefined;
  const details = `${error.message} ${error.param ?? ""} ${error.code ?? ""}`;
  if (!/response_format|json_schema|schema|structured output/i.test(details)) return undefined;
  return /invalid.{0,10}schema/i.test(details) ? "this" : "any";
}

/**
 * Returns the delay from `Retry-After` (seconds or a date) or OpenAI's more precise `Retry-After-Ms`.
 * undefined if absent or invalid.
 */
function retryAfterMs(headers: Headers, clock: Clock): number | undefined {
  const preciseMs = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  const waitMs = preciseMs > 0 ? preciseMs : waitMsOf(headers.get("retry-after") ?? "", clock);
  return Number.isFinite(waitMs) ? Math.max(0, Math.ceil(waitMs)) : undefined;
}

function waitMsOf(retryAfter: string, clock: Clock): number {
  const seconds = Number.parseFloat(retryAfter);
  return Number.isNaN(seconds) ? Date.parse(retryAfter) - clock.now() * 1000 : seconds * 1000;
}
