import type { ContextError } from "./context-error.js";

/**
 * The reason why a server gave no usable reply:
 * - "unauthorized": 401, 403
 * - "too_large": 413
 * - "rate_limited": 429
 * - "timeout": 408, or no reply in time
 * - "unavailable": 409, 5xx, a failed or lost connection, an error within a stream
 * - "invalid_request": any other status except 2xx
 * - "invalid_reply": a reply that is not JSON
 * - "reply_too_long": a reply above the limit
 */
export type ProviderFailure =
  | "unauthorized"
  | "too_large"
  | "rate_limited"
  | "timeout"
  | "unavailable"
  | "invalid_request"
  | "invalid_reply"
  | "reply_too_long";

/** Contents of the server's error. */
export interface ProviderErrorDetail {
  /** HTTP status. Absent without a reply, and for an error within a stream. */
  readonly status?: number | undefined;
  /** Error code of the server, such as "context_length_exceeded". */
  readonly code?: string | undefined;
  /** Name of the request field that the server rejects. */
  readonly param?: string | undefined;
  /** Message of the server's error, or the text of its reply. */
  readonly text?: string | undefined;
  /** Present if the request is too long for the model's context. */
  readonly context?: ContextError | undefined;
  /** Pause that the server requires before a retry, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the server allows or forbids a retry. Absent: decided by the failure. */
  readonly isRetryable?: boolean | undefined;
}

/** A failed request. The API key is never part of it. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly failure: ProviderFailure;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly text: string;
  readonly context: ContextError | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;

  constructor(
    failure: ProviderFailure,
    message: string,
    { status, code, param, text = "", context, retryAfterMs, isRetryable }: ProviderErrorDetail = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.failure = failure;
    this.status = status;
    this.code = code;
    this.param = param;
    this.text = text;
    this.context = context;
    this.retryAfterMs = retryAfterMs;
    this.isRetryable = isRetryable ?? ["rate_limited", "timeout", "unavailable"].includes(failure);
  }
}
