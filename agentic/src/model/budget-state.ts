import { z } from "zod";

export const BUDGET_PERIODS = ["hour", "day", "month"] as const;

export const BudgetStateSchema = z.object({
  /** "agent", or "namespace" with its name. */
  scope: z.string(),
  per: z.enum(BUDGET_PERIODS),
  /** Start of the period in UTC, such as "2024-05-01". */
  period: z.string(),
  /** End of the period in Unix seconds. */
  until: z.number(),
  /** Used tokens, including those that calls in progress may still need. */
  tokens: z.number(),
  /** Cost in US dollars. 0 without prices. */
  usd: z.number(),
  calls: z.number(),
  /** Absent: no maximum. */
  tokensMax: z.number().optional(),
  usdMax: z.number().optional(),
});

/** State of a budget for model calls in its current period. */
export type BudgetState = Readonly<z.infer<typeof BudgetStateSchema>>;
