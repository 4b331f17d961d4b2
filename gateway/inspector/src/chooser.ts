import { html } from "htm/preact";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { apiFor, type Choices } from "./api.js";
import { useLoaded } from "./loaded.js";
import type { Who } from "./view.js";

export interface ChooserProps {
  readonly choices: Choices;
  readonly who: Who;
  readonly onChosen: (who: Who) => void;
}

/** Selects the inspected tenant and agent. It suggests agents that wrote into the shared tier. */
export function Chooser({ choices: { fixed }, who, onChosen }: ChooserProps): VNode {
  const api = useMemo(() => apiFor(who), [who]);
  const { value } = useLoaded(
    (signal) => api.get<{ readonly agents: readonly string[] }>("agents", {}, signal),
    [who],
  );
  const choose = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: "tenant" | "agent") => String(fields.get(name) ?? who[name]).trim();
    onChosen({ tenant: field("tenant") || who.tenant, agent: field("agent") });
  };
  return html`<form key=${`${who.tenant} ${who.agent}`} class="chooser" aria-label="Agent selection" onSubmit=${choose}>
    <label>Tenant
      <input name="tenant" required maxlength="64" defaultValue=${who.tenant} readonly=${fixed.tenant} /></label>
    <label>Agent
      <input name="agent" maxlength="192" defaultValue=${who.agent} readonly=${fixed.agent} list="agents"
        placeholder=${fixed.agent ? undefined : "all agents"} autocomplete="off" /></label>
    <datalist id="agents">${value?.agents.map((agent) => html`<option key=${agent} value=${agent} />`)}</datalist>
    ${fixed.tenant && fixed.agent ? null : html`<button>Show</button>`}
  </form>`;
}
