import type { BudgetState } from "@membus/agentic/model";

/** Returns the state of a budget as one line. */
export function budgetText({ scope, per, period, until, calls, ...used }: BudgetState): string {
  const tokens = `${used.tokens}${used.tokensMax === undefined ? "" : ` of ${used.tokensMax}`} tokens`;
  const limit = used.usdMax === undefined ? "" : ` of ${used.usdMax}`;
  const usd = used.usd === 0 && limit === "" ? "" : `, ${used.usd.toFixed(4)}${limit} USD`;
  const end = new Date(until * 1000).toISOString();
  return `${scope}, ${per} ${period}: ${tokens}${usd}, ${calls} ${calls === 1 ? "call" : "calls"}, until ${end}`;
}
