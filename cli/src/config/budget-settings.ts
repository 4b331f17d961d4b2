import type { BudgetOptions } from "@membus/agentic";
import { type OptionsOf, option, optionSet } from "@membus/protocol";
import { definedOnly } from "../flags/defined-only.js";

/** Settings of the budget of the model calls that membus makes itself. Each agent has its own. */
export const BudgetSettingsSchema = optionSet({
  /** Maximum number of input and output tokens per period. */
  tokens: option.integer(0, Number.MAX_SAFE_INTEGER).optional(),
  /** Maximum cost per period in US dollars, with the prices. */
  usd: option.number(0, 1e9).optional(),
  /** Period in UTC. */
  per: option.choice("hour", "day", "month").optional(),
  /** Whether the agent has one budget, or one for each namespace. */
  scope: option.choice("agent", "namespace").optional(),
  /** Price of one million input tokens in US dollars. */
  input_price: option.number(0, 1e6).optional(),
  /** Price of one million output tokens in US dollars. */
  output_price: option.number(0, 1e6).optional(),
});

export interface BudgetSettings extends OptionsOf<typeof BudgetSettingsSchema> {}

/** Returns the options for a budget. undefined without settings: no budget. */
export function budgetOf(settings: BudgetSettings = {}): BudgetOptions | undefined {
  const { input_price: inputPrice, output_price: outputPrice, ...same } = settings;
  const budget = definedOnly({ ...same, inputPrice, outputPrice });
  return Object.keys(budget).length === 0 ? undefined : budget;
}
