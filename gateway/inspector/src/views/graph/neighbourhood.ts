import type { GraphEdge, GraphNode, NeighbourhoodReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Failure } from "../../notices.js";
import { hrefOf, type Route } from "../../route.js";
import type { PageProps } from "../../view.js";
import { GraphCanvas } from "./graph-canvas.js";
import { type Target, targetOf, targetOfEntry } from "./graph-target.js";

const NODES_MAX = 200;

/** Shows the neighbours of a node as a picture, and as a list with the same content. */
export function Neighbourhood({ api, who, route }: PageProps): VNode {
  const { tier, namespace, name, entry, depth = "1" } = Object.fromEntries(route.params);
  const asked = { tier, namespace, name, entry, depth, limit: NODES_MAX };
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<NeighbourhoodReply>("neighbourhood", asked, signal),
    [who, route.params.toString()],
  );
  const words = route.params.get("words") ?? undefined;
  const go = (target: Target) => route.go({ ...target, words, depth });
  return html`<section aria-labelledby="around" aria-busy=${isLoading}>
    <h2 id="around">Neighbours of ${name === undefined ? "the entry" : name}</h2>
    <${Depth} route=${route} depth=${depth} />
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${value?.truncated && html`<p class="quiet" role="status">Not all neighbours are shown.</p>`}
    ${
      value !== undefined &&
      html`<div class="graph">
        <${GraphCanvas} reply=${value} onNode=${(node: GraphNode) => go(targetOf(node))} />
        <${NodeList} reply=${value} go=${go} />
      </div>`
    }
  </section>`;
}

function Depth({ route, depth }: { readonly route: Route; readonly depth: string }): VNode {
  const choose = (event: Event) => {
    const given = Object.fromEntries(route.params);
    route.go({ ...given, depth: (event.currentTarget as HTMLSelectElement).value });
  };
  const option = (steps: string) =>
    html`<option value=${steps} selected=${steps === depth}>${steps}</option>`;
  return html`<label>Steps <select onChange=${choose}>${["1", "2"].map(option)}</select></label>`;
}

interface ListProps {
  readonly reply: NeighbourhoodReply;
  readonly go: (target: Target) => void;
}

function NodeList({ reply, go }: ListProps): VNode {
  const { nodes, edges, centre } = reply;
  const texts = new Map(nodes.map(({ id, text }) => [id, text]));
  const item = (node: GraphNode) => html`<li key=${node.id} data-node=${node.id}>
    <${Node} node=${node} isCentre=${node.id === centre} go=${go} />
    <${Edges} edges=${edges.filter(({ from }) => from === node.id)} texts=${texts} go=${go} />
  </li>`;
  return html`<div><h3 id="nodes">${counted(nodes.length, "node")}, ${counted(edges.length, "edge")}</h3>
    <ul class="nodes" aria-labelledby="nodes">${nodes.map(item)}</ul></div>`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

interface NodeProps extends Pick<ListProps, "go"> {
  readonly node: GraphNode;
  readonly isCentre: boolean;
}

function Node({ node, isCentre, go }: NodeProps): VNode {
  const { text, tier, namespace } = node;
  const kind = node.kind === "name" ? "name" : (node.record ?? "entry");
  const entry =
    node.kind === "entry" &&
    html` <a href=${hrefOf("memories", entryParams(node))}
      aria-label=${`Entry: ${text}`}>entry</a>`;
  return html`<button class="plain" aria-current=${isCentre ? "true" : undefined}
      onClick=${() => go(targetOf(node))}>${text}</button>
    <span class=${`tag tier-${tier}`}>${tier}</span>
    <span class="quiet">${kind} in ${namespace}</span>${entry}`;
}

function Edges({
  edges,
  texts,
  go,
}: Pick<ListProps, "go"> & {
  readonly edges: readonly GraphEdge[];
  readonly texts: ReadonlyMap<string, string>;
}): VNode | null {
  if (edges.length === 0) return null;
  const item = ({ from, to, label, entry }: GraphEdge) => {
    const statement = `${label.replaceAll("_", " ")} ${texts.get(to)}`;
    return html`<li key=${`${label} ${to}`}>${statement}
      ${
        entry !== undefined &&
        html` <button class="plain" aria-label=${`Source of ${texts.get(from)} ${statement}`}
          onClick=${() => go(targetOfEntry(entry))}>source</button>`
      }</li>`;
  };
  return html`<ul class="edges">${edges.map(item)}</ul>`;
}
