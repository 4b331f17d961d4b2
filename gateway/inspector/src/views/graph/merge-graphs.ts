import type { GraphNode, NeighbourhoodReply } from "@membus/gateway/inspector-api";
import type { Target } from "./graph-target.js";

/** Number of nodes with added neighbours. */
const EXPANDED_MAX = 10;
/** Number of nodes in a picture. */
const NODES_MAX = 400;

type Step = readonly [kind: "name" | "entry", tier: string, namespace: string, value: string];

/** Reads the expanded nodes of an address, which the user may have edited. */
export function expandedIn(text: string | null): readonly Target[] {
  return stepsIn(text).map(([kind, tier, namespace, value]) => ({
    tier,
    namespace,
    name: kind === "name" ? value : undefined,
    entry: kind === "entry" ? value : undefined,
  }));
}

/** Returns the expanded nodes of an address with one more. The oldest is dropped after ten. */
export function withExpanded(text: string | null, node: GraphNode): string {
  const value = node.kind === "name" ? node.text : node.key_hash;
  const step: Step = [node.kind, node.tier, node.namespace, value];
  const others = stepsIn(text).filter((known) => JSON.stringify(known) !== JSON.stringify(step));
  return JSON.stringify([...others, step].slice(-EXPANDED_MAX));
}

function stepsIn(text: string | null): Step[] {
  try {
    const steps: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(steps) ? steps.filter(isStep).slice(-EXPANDED_MAX) : [];
  } catch {
    return [];
  }
}

function isStep(step: unknown): step is Step {
  return Array.isArray(step) && step.length === 4 && step.every((part) => typeof part === "string");
}

/** Adds nodes and edges to a graph. Its first nodes stay first, so that its centre stays in the middle. */
export function mergeGraphs(
  base: NeighbourhoodReply,
  added: readonly NeighbourhoodReply[],
): NeighbourhoodReply {
  if (added.length === 0) return base;
  const all = [base, ...added];
  const byId = new Map<string, GraphNode>();
  for (const node of all.flatMap(({ nodes }) => nodes)) {
    if (!byId.has(node.id) && byId.size < NODES_MAX) byId.set(node.id, node);
  }
  const edges = new Map(
    all
      .flatMap((graph) => graph.edges)
      .filter(({ from, to }) => byId.has(from) && byId.has(to))
      .map((edge) => [JSON.stringify([edge.from, edge.to, edge.kind, edge.label]), edge] as const),
  );
  return {
    centre: base.centre,
    nodes: [...byId.values()],
    edges: [...edges.values()],
    truncated: all.some(({ truncated }) => truncated) || byId.size === NODES_MAX,
    degraded: all.flatMap(({ degraded }) => degraded),
  };
}
