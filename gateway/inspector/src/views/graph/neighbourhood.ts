import type { GraphBrief, GraphEdge, GraphNode, NeighbourhoodReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Failure } from "../../notices.js";
import { hrefOf, type Route } from "../../route.js";
import type { PageProps } from "../../view.js";
import { GraphCanvas } from "./graph-canvas.js";
import { type Target, targetOf, targetOfEntry } from "./graph-target.js";
import { expandedIn, mergeGraphs, withExpanded } from "./merge-graphs.js";

const NODES_MAX = 200;

interface NeighbourhoodProps extends Omit<PageProps, "edit"> {
  /** The graph that is shown as a whole if no node is chosen. */
  readonly graph: GraphBrief | undefined;
}

/** Shows a graph, or the neighbours of a node, as a picture and as a list with the same content. */
export function Neighbourhood({ api, who, route, graph }: NeighbourhoodProps): VNode {
  const { name, entry, depth = "1" } = Object.fromEntries(route.params);
  const isWhole = name === undefined && entry === undefined;
  const { tier, namespace } = isWhole ? graph! : placeIn(route);
  const more = route.params.get("more");
  const asked = { tier, namespace, name, entry, depth, limit: NODES_MAX };
  const { value, failure, isLoading } = useLoaded(
    async (signal) => {
      const base = await api.get<NeighbourhoodReply>(isWhole ? "graph" : "neighbourhood", asked, signal);
      const read = (target: Target) =>
        api.get<NeighbourhoodReply>("neighbourhood", { ...target, limit: NODES_MAX }, signal);
      return mergeGraphs(base, await Promise.all(expandedIn(more).map(read)));
    },
    [who, tier, namespace, name, entry, depth, more],
  );
  const words = route.params.get("words") ?? undefined;
  const go = (target: Target) => route.go({ ...target, words, depth: isWhole ? undefined : depth });
  const expand = (node: GraphNode) =>
    route.go({ ...Object.fromEntries(route.params), tier, namespace, more: withExpanded(more, node) });
  return html`<section aria-labelledby="around" aria-busy=${isLoading}>
    <div class="panel-head"><h2 id="around">${isWhole ? `Whole graph in ${namespace}` : `Neighbours of ${name ?? "the entry"}`}</h2>
      ${
        !isWhole &&
        html`<span class="actions"><${Depth} route=${route} depth=${depth} />
        <a href=${route.href({ tier, namespace, words })}>Whole graph</a></span>`
      }</div>
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${value?.truncated && html`<p class="quiet" role="status">Not all neighbours are shown.</p>`}
    ${
      value !== undefined &&
      html`<div class="graph">
        <${GraphCanvas} reply=${value} onNode=${(node: GraphNode) => go(targetOf(node))} />
        <${NodeList} reply=${value} go=${go} expand=${expand} />
      </div>`
    }
  </section>`;
}

function placeIn({ params }: Route) {
  return { tier: params.get("tier") ?? undefined, namespace: params.get("namespace") ?? undefined };
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
  /** Adds the neighbours of a node. */
  readonly expand: (node: GraphNode) => void;
}

function NodeList({ reply, go, expand }: ListProps): VNode {
  const { nodes, edges, centre } = reply;
  const texts = new Map(nodes.map(({ id, text }) => [id, text]));
  const item = (node: GraphNode) => html`<li key=${node.id} data-node=${node.id}>
    <${Node} node=${node} isCentre=${node.id === centre} go=${go} expand=${expand} />
    <${Edges} edges=${edges.filter(({ from }) => from === node.id)} texts=${texts} go=${go} />
  </li>`;
  return html`<div><h3 id="nodes">${counted(nodes.length, "node")}, ${counted(edges.length, "edge")}</h3>
    <ul class="nodes" aria-labelledby="nodes">${nodes.map(item)}</ul></div>`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

interface NodeProps extends Pick<ListProps, "go" | "expand"> {
  readonly node: GraphNode;
  readonly isCentre: boolean;
}

function Node({ node, isCentre, go, expand }: NodeProps): VNode {
  const { text, tier, namespace } = node;
  const kind = node.kind === "name" ? "name" : (node.record ?? "entry");
  const entry =
    node.kind === "entry" &&
    html` <a href=${hrefOf("memories", entryParams(node))}
      aria-label=${`Entry: ${text}`}>entry</a>`;
  return html`<button class="plain" aria-current=${isCentre ? "true" : undefined}
      onClick=${() => go(targetOf(node))}>${text}</button>
    <span class=${`tag tier-${tier}`}>${tier}</span>
    <span class="quiet">${kind} in ${namespace}</span>${entry}
    <button class="plain small" aria-label=${`Expand ${text}`} onClick=${() => expand(node)}>expand</button>`;
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
