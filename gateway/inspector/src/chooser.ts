import type { AgentsReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { apiFor, type Choices } from "./api.js";
import { useLoaded } from "./loaded.js";
import { type Choice, Picker } from "./picker.js";
import type { Route } from "./route.js";
import type { Who } from "./view.js";

export interface ChooserProps {
  readonly choices: Choices;
  readonly who: Who;
  readonly route: Route;
}

const ALL = "All agents";
const COMPLETE_NOTE = "Listed are all agents with entries. Type any other name.";
/** Shown for a host that does not list its agents. */
const PARTIAL_NOTE =
  "Listed are agents that share entries, and agents that stored or were opened since the gateway started. Type any other name.";

/** Selects the inspected tenant and agent. Each choice is a link to the same view. */
export function Chooser({ choices: { fixed }, who, route }: ChooserProps): VNode {
  if (fixed.agent)
    return html`<p class="picked fixed"><span class="label">Agent</span> <span class="value">${who.agent}</span></p>`;
  return html`<${AgentPicker} isTenantFixed=${fixed.tenant} who=${who} route=${route} />`;
}

function AgentPicker({
  isTenantFixed,
  who,
  route,
}: Pick<ChooserProps, "who" | "route"> & { readonly isTenantFixed: boolean }): VNode {
  const api = useMemo(() => apiFor(who), [who.tenant, who.agent]);
  const { value } = useLoaded((signal) => api.get<AgentsReply>("agents", {}, signal), [api]);
  const { tenant } = who;
  const hrefOf = (agent: string) => route.href({ tenant, agent });
  const listed = (value?.agents ?? []).map(({ name, shared, own }): Choice => {
    const count = shared === null || own === null ? undefined : shared + own;
    return { name, href: hrefOf(name), count };
  });
  const changeTenant = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("tenant");
    route.go({ tenant: String(given).trim(), agent: "" });
  };
  return html`<${Picker} label="Agent" chosen=${who.agent || ALL} note=${value?.complete ? COMPLETE_NOTE : PARTIAL_NOTE} hrefOf=${hrefOf}
    choices=${[{ name: ALL, href: hrefOf("") }, ...listed]}>
    <form class="tenant" onSubmit=${changeTenant}>
      <label>Tenant <input name="tenant" required maxlength="64" defaultValue=${tenant} readonly=${isTenantFixed} /></label>
      ${!isTenantFixed && html`<button class="plain">Show</button>`}
    </form>
  <//>`;
}
