import type { Clock, Json } from "@membus/protocol";
import { type ContextError, contextErrorOf } from "./context-error.js";
import { ProviderError, type ProviderErrorDetail, type ProviderFailure } from "./provider-error.js";

/** Maximum number of characters of the server's error in a message, and in `text`. */
const MESSAGE_LENGTH_MAX = 500;
const TEXT_LENGTH_MAX = 4_000;

/** Returns the error for a reply with a status other than 2xx. `body` must not contain the API key. */
export function statusError(
  provider: string,
  { status, headers }: Response,
  body: string,
  clock: Clock,
): ProviderError {
  const detail = detailOf(parsedOrText(body), status);
  const shouldRetry = headers.get("x-should-retry");
  return new ProviderError(
    failureOfStatus(status),
    `${provider} returned an error: ${`${status} ${detail.text}`.trim().slice(0, MESSAGE_LENGTH_MAX)}`,
    {
      ...detail,
      status,
      retryAfterMs: retryAfterMs(headers, clock),
      isRetryable: shouldRetry === "true" ? true : shouldRetry === "false" ? false : undefined,
    },
  );
}

/** Returns whether an event of a stream reports an error. */
export function isErrorEvent(event: unknown): boolean {
  return Boolean(fieldOf(event, "error"));
}

/** Returns the error that an event of a stream reports. `event` must not contain the API key. */
export function eventError(provider: string, event: string): ProviderError {
  const detail = detailOf(parsedOrText(event));
  const text = detail.text.slice(0, MESSAGE_LENGTH_MAX);
  return new ProviderError("unavailable", `${provider} ended the stream with an error: ${text}`, detail);
}

function failureOfStatus(status: number): ProviderFailure {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 413) return "too_large";
  if (status === 429) return "rate_limited";
  if (status === 408) return "timeout";
  return status === 409 || status >= 500 ? "unavailable" : "invalid_request";
}

/** Reads `{"error": {"message", "param", "code"}}`. The text of another body is the whole body. */
function detailOf(body: unknown, status?: number): ProviderErrorDetail & { readonly text: string } {
  const error = fieldOf(body, "error");
  const message = fieldOf(error, "message") || error || body;
  const text = typeof message === "string" ? message : JSON.stringify(message);
  const [code, param] = ["code", "param"].map((name) => {
    const value = fieldOf(error, name);
    return typeof value === "string" ? value : undefined;
  });
  return { text: text.slice(0, TEXT_LENGTH_MAX), code, param, context: contextOf(error, text, status) };
}

function contextOf(error: unknown, text: string, status: number | undefined): ContextError | undefined {
  const fields = typeof error === "object" && error !== null ? error : {};
  return contextErrorOf(status, { ...fields, message: text.slice(0, TEXT_LENGTH_MAX) });
}

function parsedOrText(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * Returns the required pause in milliseconds: `Retry-After` in seconds or as a date, or OpenAI's more precise
 * `Retry-After-Ms`. Undefined if the headers are absent or invalid.
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
