import type { DegradedTier, MemoryEntry } from "@membus/protocol";
import { briefOf } from "./entry-brief.js";
import type { GraphEdge, GraphNode, NameNode } from "./inspector-api.js";

/** Collects nodes and edges of a graph step by step, up to a limit. */
export class Neighbourhood {
  readonly nodes = new Map<string, GraphNode>();
  readonly edges = new Map<string, GraphEdge>();
  readonly degraded: DegradedTier[] = [];
  /** True if something was left out. */
  isTruncated = false;
  readonly #nodeCountMax: number;

  constructor(nodeCountMax: number) {
    this.#nodeCountMax = nodeCountMax;
  }

  at(distance: number): GraphNode[] {
    return [...this.nodes.values()].filter((node) => node.distance === distance);
  }

  addName(place: Pick<NameNode, "tier" | "namespace">, text: string, distance: number): string | undefined {
    const { tier, namespace } = place;
    const id = `name/${tier}/${namespace}/${text}`;
    return this.#add({ id, kind: "name", text, tier, namespace, distance });
  }

  addEntry(entry: MemoryEntry, distance: number): string | undefined {
    const { kind: record, ...brief } = briefOf(entry);
    return this.#add({
      id: entryId(entry),
      kind: "entry",
      ...(record !== undefined && { record }),
      ...brief,
      distance,
    });
  }

  /** Does nothing if an end of the edge was left out. */
  addEdge(edge: Omit<GraphEdge, "from" | "to">, from: string | undefined, to: string | undefined): void {
    if (from === undefined || to === undefined) return;
    this.edges.set(JSON.stringify([from, to, edge.kind, edge.label]), { from, to, ...edge });
  }

  /** @returns the id of the node, undefined at the limit. */
  #add(node: GraphNode): string | undefined {
    if (this.nodes.has(node.id)) return node.id;
    if (this.nodes.size >= this.#nodeCountMax) {
      this.isTruncated = true;
      return undefined;
    }
    this.nodes.set(node.id, node);
    return node.id;
  }
}

export function entryId({ tier, namespace, key_hash }: MemoryEntry): string {
  return `entry/${tier}/${namespace}/${key_hash}`;
}
