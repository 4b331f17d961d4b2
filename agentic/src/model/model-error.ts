import type { TokenUsage } from "./chat-model.js";

/**
 * The reason why a model gave no reply. "rate_limited", "unavailable" and "timeout" may pass. "too_large"
 * requires a shorter request. "invalid_output" means that the answer was invalid twice. "over_budget" means
 * that the budget is used up until its period ends.
 */
export type ModelErrorCode =
  | "rate_limited"
  | "unavailable"
  | "timeout"
  | "too_large"
  | "invalid_output"
  | "refused"
  | "invalid_request"
  | "unauthorized"
  | "over_budget";

export interface ModelErrorDetail {
  readonly retryAfterMs?: number | undefined;
  readonly usage?: TokenUsage | undefined;
  readonly contextTokens?: number | undefined;
  readonly cause?: unknown;
}

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** Milliseconds after which the provider, or the budget, allows a retry. */
  readonly retryAfterMs: number | undefined;
  /** Tokens of the incomplete reply, estimated. Absent: the provider sent nothing. */
  readonly usage: TokenUsage | undefined;
  /** Tokens of the model's context, if the provider reported it with "too_large". */
  readonly contextTokens: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    { retryAfterMs, usage, contextTokens, cause }: ModelErrorDetail = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.usage = usage;
    this.contextTokens = contextTokens;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.code === "rate_limited" || this.code === "unavailable" || this.code === "timeout";
  }
}
