import { nodesOf, plainTriple, type Triple } from "./triple.js";
import { IS_TRIPLE } from "./triple-pattern.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

export interface FoundTriple extends Triple {
  /** 0..1: how well it answers. */
  readonly score: number;
}

/** The part of the graph that answers a text. */
export interface TripleSearchResult {
  /** The best first. */
  readonly triples: readonly FoundTriple[];
  /** The nodes of those triples, without doubles, in the same order. */
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
