/**
 * The reason why a model gave no reply. "rate_limited", "unavailable" and "timeout" may pass. "too_large"
 * requires a shorter request. "invalid_output" means that the answer was invalid twice.
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
  /** Milliseconds after which the provider allows a retry. */
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

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.code === "rate_limited" || this.code === "unavailable" || this.code === "timeout";
  }
}
