import { nodesOf, plainTriple, type Triple } from "./triple.js";
import { IS_TRIPLE } from "./triple-pattern.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

export interface FoundTriple extends Triple {
  /** Relevance, 0..1. */
  readonly score: number;
}

/** The part of the graph that matches a text. */
export interface TripleSearchResult {
  /** Best first. */
  readonly triples: readonly FoundTriple[];
  /** Nodes of these triples, unique, in the same order. */
  readonly nodes: readonly string[];
}

export async function searchTriples(
  store: TripleStore,
  { query, limit, minScore }: { query: string; limit: number; minScore: number },
  call: GraphCall,
): Promise<TripleSearchResult> {
  const request = { query, where: IS_TRIPLE, limit, min_score: minScore };
  const page = await store.page(request, call);
  const triples = page.triples.map((triple) => ({ ...plainTriple(triple), score: triple.score }));
  return { triples, nodes: [...new Set(triples.flatMap(nodesOf))] };
}
