/**
 * Why a model gave no answer. "rate_limited", "unavailable" and "timeout" may pass; "too_large" wants a shorter request;
 * "invalid_output" is an answer that is not what was asked for, also the second time.
 */
export type ModelErrorCode =
  | "rate_limited"
  | "unavailable"
  | "timeout"
  | "too_large"
  | "invalid_output"
  | "refused"
  | "invalid_request"
  | "unauthorized";

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may be answered a little later. */
  get retryable(): boolean {
    return this.code === "rate_limited" || this.code === "unavailable" || this.code === "timeout";
  }
}
