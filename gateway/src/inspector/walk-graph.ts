import type { AgentMemory } from "@membus/agent-client";
import { type Filter, LIMITS, type MemoryEntry, type MemoryTier } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { findAnywhere } from "./find-anywhere.js";
import type { EntryNode, NameNode } from "./inspector-api.js";
import { entryId, type Neighbourhood } from "./neighbourhood.js";

/** Entries of one kind that one step reads. */
const STEP_MAX = 500;
/** Predicates with objects that describe the subject and are no names. */
const WORDS_PREDICATES = ["entity_type", "observation"];

interface Graph {
  readonly tier: MemoryTier;
  readonly namespace: string;
}

export const IS_TRIPLE: Filter = { field: "metadata.kind", op: "eq", value: "triple" };

/** Adds the neighbours of the nodes at `distance`. */
export async function walk(memory: AgentMemory, found: Neighbourhood, distance: number): Promise<void> {
  const nodes = found.at(distance);
  const names = nodes.filter((node) => node.kind === "name");
  const entries = nodes.filter((node) => node.kind === "entry");
  for (const graph of graphsOf(names)) {
    await followTriples(memory, found, graph, distance + 1);
  }
  if (entries.length > 0) await followSources(memory, found, entries, distance + 1);
}

/** Groups names by graph. */
function graphsOf(nodes: readonly NameNode[]): (Graph & { readonly names: string[] })[] {
  const graphs = new Map<string, Graph & { readonly names: string[] }>();
  for (const { tier, namespace, text } of nodes) {
    const graph = graphs.get(`${tier}/${namespace}`) ?? { tier, namespace, names: [] };
    graph.names.push(text);
    graphs.set(`${tier}/${namespace}`, graph);
  }
  return [...graphs.values()];
}

async function followTriples(
  memory: AgentMemory,
  found: Neighbourhood,
  { names, ...graph }: Graph & { readonly names: readonly string[] },
  distance: number,
): Promise<void> {
  const request = { ...graph, where: touching(names), order: "newest" as const, limit: STEP_MAX };
  const page = await memory.retrieve(request);
  found.degraded.push(...(page.degraded ?? []));
  if (page.cursor !== undefined) found.isTruncated = true;
  for (const entry of page.entries) addTriple(found, entry, distance);
}

export function addTriple(found: Neighbourhood, entry: MemoryEntry, distance: number): void {
  const record = readRecord(entry, "triple");
  if (record === undefined) return;
  const { subject, predicate, object } = record.key;
  const from = found.addName(entry, subject, distance);
  const label = predicate;
  if (WORDS_PREDICATES.includes(predicate)) {
    found.addEdge({ kind: "end", label }, found.addEntry(entry, distance), from);
  } else {
    const to = found.addName(entry, object, distance);
    found.addEdge({ kind: "triple", label, entry: entryId(entry) }, from, to);
  }
}

/** Adds the sources of entries, the entries derived from them, and the names of triples. */
async function followSources(
  memory: AgentMemory,
  found: Neighbourhood,
  nodes: readonly EntryNode[],
  distance: number,
): Promise<void> {
  const hashes = [...new Set(nodes.map(({ key_hash }) => key_hash))];
  const derivedFrom: Filter = { field: "sources", op: "in", value: hashes };
  const [own, derived] = await Promise.all([
    findAnywhere(memory, { keys: references(hashes) }, STEP_MAX),
    findAnywhere(memory, { where: derivedFrom }, STEP_MAX),
  ]);
  const shown = own.entries.filter((entry) => found.nodes.has(entryId(entry)));
  const named = [...new Set(shown.flatMap(({ sources = [] }) => sources))];
  const sources = await findByHash(memory, named);
  for (const { degraded, truncated } of [own, derived, sources]) {
    found.degraded.push(...degraded);
    found.isTruncated ||= truncated;
  }
  for (const entry of shown) addEnds(found, entry, distance);
  for (const entry of [...sources.entries, ...derived.entries]) found.addEntry(entry, distance);
  addSourceEdges(found, [...shown, ...derived.entries], [...shown, ...sources.entries]);
}

function addEnds(found: Neighbourhood, entry: MemoryEntry, distance: number): void {
  const triple = readRecord(entry, "triple")?.key;
  if (triple === undefined) return;
  const ends = WORDS_PREDICATES.includes(triple.predicate)
    ? [[triple.subject, triple.predicate] as const]
    : [[triple.subject, "subject"] as const, [triple.object, "object"] as const];
  for (const [name, label] of ends) {
    found.addEdge({ kind: "end", label }, entryId(entry), found.addName(entry, name, distance));
  }
}

/** Adds edges from derived entries to their sources. */
function addSourceEdges(
  found: Neighbourhood,
  derived: readonly MemoryEntry[],
  named: readonly MemoryEntry[],
): void {
  for (const entry of derived) {
    for (const source of named) {
      if (!entry.sources?.includes(source.key_hash)) continue;
      const [from, to] = [entryId(entry), entryId(source)];
      if (!found.nodes.has(from) || !found.nodes.has(to)) continue;
      found.addEdge({ kind: "source", label: "derived from" }, from, to);
    }
  }
}

async function findByHash(memory: AgentMemory, hashes: readonly string[]) {
  if (hashes.length === 0) return { entries: [], truncated: false, degraded: [] };
  const keys = references(hashes.slice(0, LIMITS.criteriaKeys));
  const { truncated, ...found } = await findAnywhere(memory, { keys }, STEP_MAX);
  return { ...found, truncated: truncated || hashes.length > keys.length };
}

function references(hashes: readonly string[]): { $hash: string }[] {
  return hashes.map((hash) => ({ $hash: hash }));
}

/** Matches triples with one of the names as subject or object. */
function touching(names: readonly string[]): Filter {
  const isObject: Filter = {
    all: [
      { field: "metadata.object", op: "in", value: [...names] },
      { field: "metadata.predicate", op: "nin", value: WORDS_PREDICATES },
    ],
  };
  return {
    all: [IS_TRIPLE, { any: [{ field: "metadata.subject", op: "in", value: [...names] }, isObject] }],
  };
}
