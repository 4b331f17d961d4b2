import type { BudgetState } from "./budget-state.js";
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
  readonly budget?: BudgetState | undefined;
  readonly cause?: unknown;
}

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** Milliseconds after which the provider, or the budget, allows a retry. */
  readonly retryAfterMs: number | undefined;
  /** Tokens of the prompt and the incomplete reply, estimated. Absent: the model did not read the prompt. */
  readonly usage: TokenUsage | undefined;
  /** Tokens of the model's context, if the provider reported it with "too_large". */
  readonly contextTokens: number | undefined;
  /** State of the budget after the call. Absent without a budget. */
  readonly budget: BudgetState | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    { retryAfterMs, usage, contextTokens, budget, cause }: ModelErrorDetail = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.usage = usage;
    this.contextTokens = contextTokens;
    this.budget = budget;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.code === "rate_limited" || this.code === "unavailable" || this.code === "timeout";
  }
}
