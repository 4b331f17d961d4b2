import type { AgentBrief, AgentsReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { now } from "../../clock.js";
import { agoText, countText } from "../../figures.js";
import { useLoaded } from "../../loaded.js";
import { Empty, Failure, Loading } from "../../notices.js";
import { hrefOf } from "../../route.js";
import type { PageProps } from "../../view.js";

const SHOWN_MAX = 10;

/** Lists the agents that are known, with the number of their entries. */
export function KnownAgents({ api }: Pick<PageProps, "api">): VNode {
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<AgentsReply>("agents", {}, signal),
    [api],
  );
  const row = ({ name, own, shared, newest }: AgentBrief) => html`<tr key=${name} data-agent-row=${name}>
    <th scope="row"><a href=${hrefOf("overview", { agent: name })}>${name}</a></th>
    <td class="number">${countText(own)}</td><td class="number">${countText(shared)}</td>
    <td>${newest === null ? "–" : agoText(newest, now())}</td></tr>`;
  const agents = value?.agents ?? [];
  return html`<section class="panel" aria-labelledby="agents">
    <h2 id="agents">Agents</h2>
    <${Failure} of=${failure} />
    ${isLoading && value === undefined && html`<${Loading} />`}
    ${value !== undefined && agents.length === 0 && html`<${Empty}>No agent with entries is known.<//>`}
    ${
      agents.length > 0 &&
      html`<div class="wide" role="region" aria-label="Table of agents" tabindex="0"><table>
      <thead><tr><th scope="col">Agent</th><th scope="col" class="number">Own</th>
        <th scope="col" class="number">Shared</th><th scope="col">Latest</th></tr></thead>
      <tbody>${agents.slice(0, SHOWN_MAX).map(row)}</tbody></table></div>`
    }
    ${agents.length > SHOWN_MAX && html`<p class="quiet">${agents.length - SHOWN_MAX} more in the list of agents.</p>`}
  </section>`;
}
