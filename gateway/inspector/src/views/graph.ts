import type { GraphBrief, GraphNames } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLoaded } from "../loaded.js";
import { Empty, Failure } from "../notices.js";
import type { PageProps } from "../view.js";
import { ChooseAgent } from "./choose-agent.js";
import { Neighbourhood } from "./graph/neighbourhood.js";

/** Shows where to start, and the neighbours of the chosen name or entry. */
export function Page(props: PageProps): VNode {
  const { api, who, route } = props;
  const { value, failure } = useLoaded(
    async (signal) =>
      who.agent === "" ? { graphs: [] } : api.get<{ graphs: readonly GraphBrief[] }>("graphs", {}, signal),
    [who],
  );
  if (who.agent === "") return html`<${ChooseAgent} ...${props} what="graphs" />`;
  const graphs = value?.graphs ?? [];
  const graph = graphs.find((known) => placeOf(known) === chosenGraph(route)) ?? graphs[0];
  const isChosen = route.params.has("name") || route.params.has("entry");
  return html`<${Failure} of=${failure} />
    ${value !== undefined && graph === undefined && html`<${NoGraph} />`}
    ${graph !== undefined && html`<${Toolbar} ...${props} graphs=${graphs} graph=${graph} />`}
    ${(isChosen || graph !== undefined) && html`<${Neighbourhood} api=${api} who=${who} route=${route} graph=${graph} />`}
    ${graph !== undefined && html`<${Names} key=${placeOf(graph)} ...${props} graph=${graph} />`}`;
}

function NoGraph(): VNode {
  return html`<${Empty}>This agent has no graph, because it has stored no triples of subject, predicate and object. To see what an
    entry was derived from, open the entry or its conversation.<//>`;
}

interface GraphProps extends PageProps {
  readonly graph: GraphBrief;
}

/** Chooses the graph, and searches names in it. */
function Toolbar({ route, graphs, graph }: GraphProps & { readonly graphs: readonly GraphBrief[] }): VNode {
  const { tier, namespace } = graph;
  const words = route.params.get("words") ?? "";
  const choose = (event: Event) => {
    const place = (event.currentTarget as HTMLSelectElement).value;
    const chosen = graphs.find((known) => placeOf(known) === place);
    if (chosen !== undefined) route.go({ tier: chosen.tier, namespace: chosen.namespace });
  };
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("words");
    route.go({ ...Object.fromEntries(route.params), tier, namespace, words: String(given).trim() });
  };
  const option = (known: GraphBrief) => html`<option key=${placeOf(known)} value=${placeOf(known)}
    selected=${known === graph}>${known.namespace} (${known.tier}, ${known.triples})</option>`;
  return html`<form role="search" class="search-box wraps" onSubmit=${search}>
    <label>Graph <select onChange=${choose}>${graphs.map(option)}</select></label>
    <label>Words <input name="words" type="search" defaultValue=${words} maxlength="1000" /></label>
    <button>Find names</button>
  </form>`;
}

function Names({ api, who, route, graph }: GraphProps): VNode {
  const { tier, namespace } = graph;
  const words = route.params.get("words") ?? "";
  const { value, failure } = useLoaded(
    (signal) => api.get<GraphNames>("names", { tier, namespace, words }, signal),
    [who, tier, namespace, words],
  );
  const name = ({ name, triples }: GraphNames["names"][number]) => html`<li key=${name}>
    <button class="plain" onClick=${() => route.go({ tier, namespace, words, name })}>${name}</button>
    ${triples !== undefined && html` <span class="quiet">${triples}</span>`}</li>`;
  return html`<section aria-labelledby="begin"><h2 id="begin">${words === "" ? "Frequent names" : "Found names"}</h2>
    <${Failure} of=${failure} />
    ${value?.names.length === 0 && html`<${Empty}>No triple contains these words. Try other words.<//>`}
    <ul class="names" aria-label="Names">${value?.names.map(name)}</ul></section>`;
}

function placeOf({ tier, namespace }: Pick<GraphBrief, "tier" | "namespace">): string {
  return `${tier}/${namespace}`;
}

function chosenGraph({ params }: PageProps["route"]): string {
  return `${params.get("tier")}/${params.get("namespace")}`;
}
