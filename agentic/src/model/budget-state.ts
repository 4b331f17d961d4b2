import { z } from "zod";

export const BUDGET_PERIODS = ["hour", "day", "month"] as const;

/** State of a budget, as records keep it. */
export const BudgetStateSchema = z.object({
  scope: z.string(),
  per: z.enum(BUDGET_PERIODS),
  period: z.string(),
  until: z.number(),
  tokens: z.number(),
  usd: z.number(),
  calls: z.number(),
  tokensMax: z.number().optional(),
  usdMax: z.number().optional(),
});
