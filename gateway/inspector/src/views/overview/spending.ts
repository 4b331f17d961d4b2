import type { ModelBudget, ModelBudgets } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { counted } from "../../figures.js";
import type { Loaded } from "../../loaded.js";
import { Empty, Failure, Loading } from "../../notices.js";
import { hrefOf } from "../../route.js";

/** Shows how much of each budget for model calls is used. */
export function Spending({
  budgets: { value, failure, isLoading },
  agent,
}: {
  readonly budgets: Loaded<ModelBudgets>;
  readonly agent: string;
}): VNode {
  return html`<section class="panel" aria-labelledby="spending">
    <div class="panel-head"><h2 id="spending">Cost and budget</h2><a href=${hrefOf("health")}>Details</a></div>
    <${Failure} of=${failure} />
    ${isLoading && value === undefined && html`<${Loading} />`}
    ${value?.budgets.length === 0 && html`<${Empty}>${nothing(agent)}<//>`}
    <ul class="bars">${value?.budgets.map(budgetRow)}</ul>
  </section>`;
}

function budgetRow(budget: ModelBudget): VNode {
  const { scope, per, tokens, tokensMax, usd, usdMax, calls } = budget;
  const used = Math.max(share(tokens, tokensMax), share(usd, usdMax));
  return html`<li key=${`${scope} ${per}`} data-budget=${scope}>
    <span>${scope}, this ${per}</span><span class="number">${spentText(budget)}</span>
    <span class="bar"><span style=${`width:${100 * used}%;background:var(--${used > 0.9 ? "bad" : "accent"})`}></span></span>
    <span class="quiet">${counted(tokens, "token")}${tokensMax === undefined ? "" : ` of ${tokensMax.toLocaleString()}`},${" "}
      ${counted(calls, "call")}</span></li>`;
}

function share(used: number, max: number | undefined): number {
  return max === undefined || max === 0 ? 0 : Math.min(1, used / max);
}

/** Returns the cost, or the tokens if they have no price. */
export function spentText({ usd, usdMax, tokens }: ModelBudget): string {
  if (usd === 0 && usdMax === undefined) return counted(tokens, "token");
  const style = { style: "currency", currency: "USD" } as const;
  const limit = usdMax === undefined ? "" : ` of ${usdMax.toLocaleString(undefined, style)}`;
  return `${usd.toLocaleString(undefined, style)}${limit}`;
}

function nothing(agent: string): string {
  return agent === "" ? "Choose an agent to see its budgets." : `${agent} has called no model with a budget.`;
}
