import { type Clock, type ErrorCode, isMemoryError, MemoryError } from "@membus/protocol";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { retryAfterMs } from "../http/retry-after.js";

/** Converts an error of the openai package, which becomes the cause. Returns a `MemoryError` unchanged. */
export function providerFailure(error: unknown, clock: Clock): MemoryError {
  if (isMemoryError(error)) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new MemoryError(
      "unavailable",
      "the embedding provider did not answer in time",
      {},
      { cause: error },
    );
  }
  if (error instanceof APIConnectionError) {
    return new MemoryError("unavailable", "cannot connect to the embedding provider", {}, { cause: error });
  }
  if (error instanceof APIError && error.status !== undefined) {
    return statusFailure(error, error.status, error.headers ?? new Headers(), clock);
  }
  // The message of a syntax error quotes the reply, which may repeat the API key.
  const options = error instanceof SyntaxError ? {} : { cause: error };
  return new MemoryError("runtime_error", "the embedding provider sent an unreadable reply", {}, options);
}

function statusFailure(cause: unknown, status: number, headers: Headers, clock: Clock): MemoryError {
  const waitMs = retryAfterMs(headers, clock);
  const detail = waitMs === undefined ? { status } : { status, retry_after_ms: waitMs };
  return new MemoryError(codeOfStatus(status), `the embedding provider answered ${status}`, detail, {
    cause,
  });
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 413) return "too_large";
  if (status === 400 || status === 422) return "schema_violation";
  if (status === 408 || status === 409 || status === 429 || status >= 500) return "unavailable";
  return "runtime_error";
}
