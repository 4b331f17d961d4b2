import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { BUDGET_PERIODS } from "../model/index.js";

export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const BudgetOptionsSchema = optionSet({
  /** Maximum number of input and output tokens per period. Absent: no maximum. */
  tokens: option.integer(0, Number.MAX_SAFE_INTEGER).optional(),
  /** Maximum cost per period in US dollars. It requires the prices. Absent: no maximum. */
  usd: option.number(0, 1e9).optional(),
  /** Period of the budget, in UTC. The next period starts with nothing used. */
  per: option.choice(...BUDGET_PERIODS).default("day"),
  /** Whether all operations of the agent share the budget, or those with the same namespace. */
  scope: option.choice("agent", "namespace").default("agent"),
  /** Price of one million input tokens in US dollars. */
  inputPrice: option.number(0, 1e6).default(0),
  /** Price of one million output tokens in US dollars. */
  outputPrice: option.number(0, 1e6).default(0),
  /** Tier of the record of the budget. */
  tier: option.tier().default("episodic"),
}).superRefine(({ tokens, usd, inputPrice, outputPrice }, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  if (tokens === undefined && usd === undefined) refuse("needs `tokens` or `usd`");
  if (usd !== undefined && inputPrice + outputPrice === 0)
    refuse("in `usd` needs `inputPrice` and `outputPrice`, in USD per million tokens");
});

export interface BudgetOptions extends OptionsOf<typeof BudgetOptionsSchema> {}
export interface ResolvedBudgetOptions extends ResolvedOptionsOf<typeof BudgetOptionsSchema> {}

/** Returns the start of the period at `now` in Unix seconds, as text, and its end in Unix seconds. */
export function periodAt(
  now: number,
  per: BudgetPeriod,
): { readonly period: string; readonly until: number } {
  const at = new Date(now * 1000);
  const [year, month, day, hour] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours()];
  const text = at.toISOString();
  switch (per) {
    case "hour":
      return { period: text.slice(0, 13), until: Date.UTC(year, month, day, hour + 1) / 1000 };
    case "day":
      return { period: text.slice(0, 10), until: Date.UTC(year, month, day + 1) / 1000 };
    case "month":
      return { period: text.slice(0, 7), until: Date.UTC(year, month + 1, 1) / 1000 };
  }
}
