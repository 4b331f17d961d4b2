import type { AgentMemory } from "@membus/agent-client";
import { type MemoryEntry, MemoryError, type MemoryTier, TIERS } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { emptyIfUnavailable } from "./empty-if-unavailable.js";
import { distinct, findAnywhere, namespacesAnywhere } from "./find-anywhere.js";
import type { GraphBrief, GraphNames, NeighbourhoodReply } from "./inspector-api.js";
import { Neighbourhood } from "./neighbourhood.js";
import { countField, optionalText, type Query, textField, tierField } from "./query-fields.js";
import { addTriple, IS_TRIPLE, walk } from "./walk-graph.js";

const NODES_MAX = 200;
const GRAPHS_MAX = 50;
const TRIPLES_MAX = 300;

/** Lists the graphs that the agent can read, the largest of each tier first. */
export async function listGraphs(memory: AgentMemory): Promise<{ readonly graphs: readonly GraphBrief[] }> {
  const graphs = await Promise.all(TIERS.map((tier) => graphsOf(memory, tier)));
  return { graphs: graphs.flat() };
}

async function graphsOf(memory: AgentMemory, tier: MemoryTier): Promise<GraphBrief[]> {
  const request = { tier, where: IS_TRIPLE, order: "count" as const, limit: GRAPHS_MAX };
  const { items } = await emptyIfUnavailable(namespacesAnywhere(memory, request, ["graph"]));
  return items.map(({ value, count }) => ({ tier, namespace: String(value), triples: count }));
}

/** Returns names to start with: those that match `words`, otherwise those with most triples. */
export async function listNames(memory: AgentMemory, query: Query): Promise<GraphNames> {
  const limit = countField(query, "limit", { min: 1, max: 100, fallback: 30 });
  const graph = { tier: tierField(query), namespace: textField(query, "namespace"), where: IS_TRIPLE, limit };
  const words = optionalText(query, "words");
  if (words === undefined) {
    const { items } = await memory.list({ ...graph, field: "metadata.subject", order: "count" });
    return { names: items.map(({ value, count }) => ({ name: String(value), triples: count })) };
  }
  const { entries } = await memory.retrieve({ ...graph, query: words });
  const names = entries.flatMap((entry) => readRecord(entry, "triple")?.key.subject ?? []);
  return { names: [...new Set(names)].map((name) => ({ name })) };
}

/**
 * Returns the neighbours of a name (`name`, `tier`, `namespace`) or of an entry (`entry`: its key hash).
 * @throws {MemoryError} `memory_not_found` if it does not exist.
 */
export async function readNeighbourhood(memory: AgentMemory, query: Query): Promise<NeighbourhoodReply> {
  const depth = countField(query, "depth", { min: 1, max: 2, fallback: 1 });
  const found = new Neighbourhood(countField(query, "limit", { min: 1, max: NODES_MAX, fallback: 100 }));
  const name = optionalText(query, "name");
  const centre =
    name === undefined ? await centreEntry(memory, found, query) : centreName(found, name, query);
  for (let distance = 0; distance < depth; distance++) await walk(memory, found, distance);
  if (name !== undefined && found.edges.size === 0) {
    throw new MemoryError("memory_not_found", "no triple of this graph has this name");
  }
  return {
    centre,
    nodes: [...found.nodes.values()],
    edges: [...found.edges.values()],
    truncated: found.isTruncated,
    degraded: distinct(found.degraded),
  };
}

/** Returns the names of the latest triples of one graph, around the name with the most of these triples. */
async function readWhole(memory: AgentMemory, query: Query): Promise<NeighbourhoodReply> {
  const limit = countField(query, "limit", { min: 1, max: NODES_MAX, fallback: 100 });
  const graph = { tier: tierField(query), namespace: textField(query, "namespace") };
  const page = await memory.retrieve({ ...graph, where: IS_TRIPLE, order: "newest", limit: TRIPLES_MAX });
  const [middle] = mostFrequent(page.entries);
  if (middle === undefined) throw new MemoryError("memory_not_found", "this graph has no triples");
  const found = new Neighbourhood(limit);
  const centre = found.addName(page.entries[0]!, middle, 0)!;
  for (const entry of page.entries) addTriple(found, entry, 1);
  return {
    centre,
    nodes: [...found.nodes.values()],
    edges: [...found.edges.values()],
    truncated: found.isTruncated || page.cursor !== undefined,
    degraded: distinct(page.degraded ?? []),
  };
}

/** Returns the names of triples, the most frequent first. */
function mostFrequent(entries: readonly MemoryEntry[]): string[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const triple = readRecord(entry, "triple")?.key;
    if (triple === undefined) continue;
    for (const name of [triple.subject, triple.object]) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function centreName(found: Neighbourhood, name: string, query: Query): string {
  const tier = tierField(query);
  if (tier === undefined) throw new MemoryError("schema_violation", "tier: is required", { path: "tier" });
  return found.addName({ tier, namespace: textField(query, "namespace") }, name, 0)!;
}

async function centreEntry(memory: AgentMemory, found: Neighbourhood, query: Query): Promise<string> {
  const keys = [{ $hash: textField(query, "entry") }];
  const tier = tierField(query);
  const namespace = optionalText(query, "namespace");
  const { entries } =
    namespace === undefined
      ? await findAnywhere(memory, { keys, tier }, 1)
      : await memory.retrieve({ keys, tier, namespace });
  const [entry] = entries;
  if (entry === undefined) throw new MemoryError("memory_not_found", "the entry does not exist");
  return found.addEntry(entry, 0)!;
}

/** Routes of the view *graph*. */
export const GRAPH_ROUTES = {
  graphs: listGraphs,
  graph: readWhole,
  names: listNames,
  neighbourhood: readNeighbourhood,
};
