import type { ModelBudget, ModelBudgets } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLoaded } from "../../loaded.js";
import type { PageProps } from "../../view.js";
import { Scrolling } from "./host-tables.js";
import { shownNumber } from "./plot.js";

/** Shows the budgets of the chosen agent for model calls. Nothing without a budget. */
export function Budgets({ api, who }: Pick<PageProps, "api" | "who">): VNode | null {
  const { value } = useLoaded(
    (signal) => api.get<ModelBudgets>("budgets", {}, signal),
    [api, who.tenant, who.agent],
  );
  if (who.agent === "" || value === undefined || value.budgets.length === 0) return null;
  const heads = ["Budget", "Period", "Tokens", "US dollars", "Calls", "Until"];
  const numbers = ["Tokens", "US dollars", "Calls"];
  return html`<h2>Model budgets of ${who.agent}</h2><${Scrolling} label="Model budgets"><table>
    <thead><tr>${heads.map((head) => html`<th scope="col" class=${numbers.includes(head) ? "number" : undefined}>${head}</th>`)}</tr></thead>
    <tbody>${value.budgets.map(row)}</tbody></table><//>`;
}

function row({ scope, per, period, tokens, tokensMax, usd, usdMax, calls, until }: ModelBudget): VNode {
  return html`<tr key=${`${scope} ${per}`} data-budget=${scope}>
    <th scope="row">${scope}</th>
    <td>${per} ${period}</td>
    <td class="number">${used(shownNumber(tokens), tokensMax)}</td>
    <td class="number">${used(usd.toFixed(4), usdMax)}</td>
    <td class="number">${shownNumber(calls)}</td>
    <td>${new Date(until * 1000).toLocaleString()}</td></tr>`;
}

function used(text: string, max: number | undefined): string {
  return max === undefined ? text : `${text} of ${shownNumber(max)}`;
}
