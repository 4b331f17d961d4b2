import type { AgentBrief, AgentsReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { counted } from "../figures.js";
import { useLoaded } from "../loaded.js";
import { Empty, Failure, Loading } from "../notices.js";
import type { PageProps } from "../view.js";

const SHOWN_MAX = 50;

/** Lists the agents as links to this view. Shown by a view that needs an agent. */
export function ChooseAgent({
  api,
  route,
  what,
}: Pick<PageProps, "api" | "route"> & { readonly what: string }): VNode {
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<AgentsReply>("agents", {}, signal),
    [api],
  );
  const agents = value?.agents ?? [];
  const item = ({ name, own, shared }: AgentBrief) => html`<li key=${name}>
    <a href=${route.href({ agent: name })}>${name}</a>
    ${own !== null && shared !== null && html`<span class="quiet">${counted(own + shared, "entry", "entries")}</span>`}</li>`;
  return html`<${Empty}>Choose an agent to see its ${what}.<//>
    <${Failure} of=${failure} />
    ${isLoading && html`<${Loading} />`}
    ${value !== undefined && agents.length === 0 && html`<${Empty}>No agent with entries is known. Type a name under Agent.<//>`}
    <ul class="rows" aria-label="Agents">${agents.slice(0, SHOWN_MAX).map(item)}</ul>
    ${agents.length > SHOWN_MAX && html`<p class="quiet">${agents.length - SHOWN_MAX} more under Agent.</p>`}`;
}
