import type { GraphBrief, GraphNames } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLoaded } from "../loaded.js";
import { Empty, Failure } from "../notices.js";
import type { PageProps } from "../view.js";
import { Neighbourhood } from "./graph/neighbourhood.js";

/** Shows where to start, and the neighbours of the chosen name or entry. */
export function Page(props: PageProps): VNode {
  const { api, who, route } = props;
  const { value, failure } = useLoaded(
    async (signal) =>
      who.agent === "" ? { graphs: [] } : api.get<{ graphs: readonly GraphBrief[] }>("graphs", {}, signal),
    [who],
  );
  if (who.agent === "") return html`<${Empty}>Choose an agent to see its graphs.<//>`;
  const isChosen = route.params.has("name") || route.params.has("entry");
  return html`<${Failure} of=${failure} />
    ${value !== undefined && html`<${Beginning} ...${props} graphs=${value.graphs} />`}
    ${isChosen && html`<${Neighbourhood} api=${api} who=${who} route=${route} />`}`;
}

function Beginning({ graphs, ...props }: PageProps & { readonly graphs: readonly GraphBrief[] }): VNode {
  const { route } = props;
  const graph = graphs.find((known) => placeOf(known) === chosenGraph(route)) ?? graphs[0];
  if (graph === undefined) {
    return html`<${Empty}>This agent has no graph, because it has stored no triples of subject, predicate and object. To see what an
      entry was derived from, open the entry or its conversation.<//>`;
  }
  const choose = (event: Event) => {
    const chosen = graphs.find(
      (known) => placeOf(known) === (event.currentTarget as HTMLSelectElement).value,
    );
    if (chosen !== undefined) route.go({ tier: chosen.tier, namespace: chosen.namespace });
  };
  const option = (known: GraphBrief) => html`<option key=${placeOf(known)} value=${placeOf(known)}
    selected=${known === graph}>${known.namespace} (${known.tier}, ${known.triples})</option>`;
  return html`<section aria-labelledby="begin">
    <h2 id="begin">Start at a name</h2>
    <label>Graph <select onChange=${choose}>${graphs.map(option)}</select></label>
    <${Names} key=${placeOf(graph)} ...${props} graph=${graph} />
  </section>`;
}

function Names({ api, who, route, graph }: PageProps & { readonly graph: GraphBrief }): VNode {
  const { tier, namespace } = graph;
  const words = route.params.get("words") ?? "";
  const { value, failure } = useLoaded(
    (signal) => api.get<GraphNames>("names", { tier, namespace, words }, signal),
    [who, tier, namespace, words],
  );
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("words");
    route.go({ tier, namespace, words: String(given).trim() });
  };
  const name = ({ name, triples }: GraphNames["names"][number]) => html`<li key=${name}>
    <button class="plain" onClick=${() => route.go({ tier, namespace, words, name })}>${name}</button>
    ${triples !== undefined && html` <span class="quiet">${triples}</span>`}</li>`;
  return html`<form role="search" onSubmit=${search}>
      <label>Words <input name="words" type="search" value=${words} maxlength="1000" /></label>
      <button>Find names</button>
    </form>
    <${Failure} of=${failure} />
    ${value?.names.length === 0 && html`<${Empty}>No triple contains these words. Try other words.<//>`}
    <ul class="names" aria-label="Names">${value?.names.map(name)}</ul>`;
}

function placeOf({ tier, namespace }: Pick<GraphBrief, "tier" | "namespace">): string {
  return `${tier}/${namespace}`;
}

function chosenGraph({ params }: PageProps["route"]): string {
  return `${params.get("tier")}/${params.get("namespace")}`;
}
