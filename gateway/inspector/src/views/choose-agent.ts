import type { AgentBrief, AgentsReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { counted } from "../figures.js";
import { useLoaded } from "../loaded.js";
import { Empty, Failure, Loading } from "../notices.js";
import type { Route } from "../route.js";
import type { PageProps } from "../view.js";

const SHOWN_MAX = 50;

/** Reads the agents and lists them. Shown by a view that needs an agent. */
export function ChooseAgent({
  api,
  route,
  what,
}: Pick<PageProps, "api" | "route"> & { readonly what: string }): VNode {
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<AgentsReply>("agents", {}, signal),
    [api],
  );
  return html`<${Failure} of=${failure} />
    ${isLoading && html`<${Loading} />`}
    <${AgentLinks} agents=${value?.agents} route=${route} what=${what} />`;
}

/** Lists the agents as links to this view. Undefined: they are not read yet. */
export function AgentLinks({
  agents,
  route,
  what,
}: {
  readonly agents: readonly AgentBrief[] | undefined;
  readonly route: Pick<Route, "href">;
  readonly what: string;
}): VNode {
  const item = ({ name, own, shared }: AgentBrief) => html`<li key=${name}>
    <a href=${route.href({ agent: name })}>${name}</a>
    ${own !== null && shared !== null && html`<span class="quiet">${counted(own + shared, "entry", "entries")}</span>`}</li>`;
  const count = agents?.length ?? 0;
  return html`<${Empty}>Choose an agent to see its ${what}.<//>
    ${agents !== undefined && count === 0 && html`<${Empty}>No agent with entries is known. Type a name under Agent.<//>`}
    <ul class="rows" aria-label="Agents">${agents?.slice(0, SHOWN_MAX).map(item)}</ul>
    ${count > SHOWN_MAX && html`<p class="quiet">${count - SHOWN_MAX} more under Agent.</p>`}`;
}
