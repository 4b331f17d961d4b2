import type { Filter } from "@membus/protocol";
import { type EntitiesAndRelations, type Entity, entitiesAndRelations } from "./entity.js";
import { nodesOf, type StoredTriple } from "./triple.js";
import { IS_TRIPLE, touching } from "./triple-pattern.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

export interface WholeGraph extends EntitiesAndRelations {
  /** There is more than one call may read: `KnowledgeGraph.triples` reads it all. */
  readonly truncated: boolean;
}

/** Entities that one search finds at most. */
const SEARCH_COUNT_MAX = 100;
/** Names that one query asks for: as many of the longest as a message has room for. */
export const NAMES_PER_QUERY = 100;

export async function readWholeGraph(store: TripleStore, call: GraphCall): Promise<WholeGraph> {
  const { triples, more } = await store.read(IS_TRIPLE, store.options.tripleCountMax, call);
  return { ...entitiesAndRelations(triples), truncated: more };
}

/** The nodes of these names, in their order: also such that are ends of relations alone, without a type. */
export async function readEntities(
  store: TripleStore,
  names: readonly string[],
  call: GraphCall,
): Promise<EntitiesAndRelations> {
  const unique = [...new Set(names)];
  const found = new Map<string, StoredTriple>();
  for (let at = 0; at < unique.length; at += NAMES_PER_QUERY) {
    const where = touching(unique.slice(at, at + NAMES_PER_QUERY));
    const { triples } = await store.read(where, store.options.tripleCountMax, call);
    for (const triple of triples) found.set(triple.hash, triple);
  }
  const { entities, relations } = entitiesAndRelations(found.values());
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const ends = new Set(relations.flatMap(({ from, to }) => [from, to]));
  const asked = unique.flatMap((name): Entity[] => {
    const entity = byName.get(name) ?? { name, entityType: "", observations: [] };
    return byName.has(name) || ends.has(name) ? [entity] : [];
  });
  return { entities: asked, relations };
}

/** What is found by words comes first, as the host ranks it, then what merely has the text in it. */
export async function searchEntities(
  store: TripleStore,
  query: string,
  call: GraphCall,
): Promise<EntitiesAndRelations> {
  const ranked = await store.page({ query, where: IS_TRIPLE, limit: SEARCH_COUNT_MAX }, call);
  const literal = await store.read(mentions(query), SEARCH_COUNT_MAX, call);
  const nodes = [...ranked.triples, ...literal.triples].flatMap(nodesOf);
  return readEntities(store, [...new Set(nodes)].slice(0, SEARCH_COUNT_MAX), call);
}

function mentions(text: string): Filter {
  const parts = ["metadata.subject", "metadata.object"];
  return { all: [IS_TRIPLE, { any: parts.map((field) => ({ field, op: "contains", value: text })) }] };
}
