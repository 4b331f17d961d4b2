import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOptions, systemClock } from "@membus/protocol";
import { type AddedTriple, addTriples } from "./add-triples.js";
import { type ExtractOptions, type ExtractResult, extractTriples } from "./extract-triples.js";
import { findPaths, type PathsResult } from "./find-paths.js";
import {
  type GraphOptions,
  GraphOptionsSchema,
  type NeighboursOptions,
  NeighboursOptionsSchema,
  type PathsOptions,
  PathsOptionsSchema,
  type QueryOptions,
  QueryOptionsSchema,
  type SearchOptions,
  SearchOptionsSchema,
} from "./graph-options.js";
import { type MergeResult, mergeNodes } from "./merge-nodes.js";
import { searchTriples, type TripleSearchResult } from "./search-triples.js";
import {
  normaliseKey,
  normaliseNode,
  normaliseTriple,
  plainTriple,
  type Triple,
  type TripleInput,
  type TripleKey,
  tripleHash,
} from "./triple.js";
import { edgesAt, IS_TRIPLE, patternFilter, type TriplePattern } from "./triple-pattern.js";
import { type GraphCall, TripleStore } from "./triple-store.js";

export interface QueryResult {
  /** Oldest first. */
  readonly triples: readonly Triple[];
  /** Number of all matching triples. */
  readonly total: number;
  /** Present if more triples may follow. */
  readonly cursor?: string;
}

export interface Neighbour {
  readonly node: string;
  /** Whether the queried node is the subject ("out") or the object ("in") of the triple. */
  readonly direction: "out" | "in";
  readonly triple: Triple;
}

export interface NeighboursResult {
  /** One per triple, oldest first. A triple from a node to itself is listed once, as "out". */
  readonly neighbours: readonly Neighbour[];
  readonly truncated: boolean;
}

export interface RemoveResult {
  /** In the order given. */
  readonly deleted: readonly TripleKey[];
  readonly notFound: readonly TripleKey[];
}

/**
 * A graph of triples: subject, predicate and object, with evidence.
 *
 * Names are normalised before they are compared or stored: composed Unicode (NFC), trimmed, with single
 * spaces. Predicates are in lower case with `_` for spaces. The option `nodeCase` sets whether nodes keep
 * their case. Triples with the same three parts are one triple, with the evidence of both and the higher
 * trust.
 *
 * Methods throw `MemoryError` for errors of the bus or the host. They throw `TypeError`, before anything is
 * sent, for an invalid argument.
 */
export class KnowledgeGraph {
  readonly #store: TripleStore;

  /** `memory` sets the tenant and the agent. The options set the namespace. */
  constructor(memory: AgentMemory, options: GraphOptions = {}, clock: Clock = systemClock) {
    this.#store = new TripleStore(memory, parseOptions(GraphOptionsSchema, options), clock);
  }

  /**
   * Adds any number of triples. Evidence accumulates up to 8 passages per triple, sources up to 64. Trust
   * only rises. Returns the outcome of each triple, in the order given. A rejected triple is "failed" and
   * does not affect the others.
   * @throws {MemoryError} `too_large`, before anything is stored, if the parts of a triple have over 4096
   * bytes together.
   */
  async add(triples: TripleInput | readonly TripleInput[], call: GraphCall = {}): Promise<AddedTriple[]> {
    const inputs = Array.isArray(triples) ? (triples as readonly TripleInput[]) : [triples as TripleInput];
    const normal = inputs.map((input) => normaliseTriple(input, this.#store.options));
    return addTriples(this.#store, normal, call);
  }

  /** Removes triples. Returns which of them existed. Of two concurrent calls one deletes a triple. */
  async remove(triples: TripleKey | readonly TripleKey[], call: GraphCall = {}): Promise<RemoveResult> {
    const inputs = Array.isArray(triples) ? (triples as readonly TripleKey[]) : [triples as TripleKey];
    const keys = inputs.map((input) => normaliseKey(input, this.#store.options));
    const unique = new Map(keys.map((key) => [tripleHash(key), key]));
    const criteria = [...unique.keys()].map((hash) => ({ keys: [{ $hash: hash }], where: IS_TRIPLE }));
    const counts = await this.#store.forgetEach(criteria, call);
    const wasThere = (_: TripleKey, index: number) => counts[index] === 1;
    const all = [...unique.values()];
    return { deleted: all.filter(wasThere), notFound: all.filter((key, index) => !wasThere(key, index)) };
  }

  /**
   * Removes all matching triples. Returns their number.
   * @throws {TypeError} for a pattern that matches everything. Use `clear` instead.
   */
  async removeMatching(pattern: TriplePattern, call: GraphCall = {}): Promise<number> {
    if (Object.values(pattern).every((part) => part === undefined)) {
      throw new TypeError("the pattern matches every triple. Use clear()");
    }
    return this.#store.forget({ where: patternFilter(pattern, this.#store.options) }, call);
  }

  /** Removes every triple of this graph, but no other entries of its namespace. Returns their number. */
  async clear(call: GraphCall = {}): Promise<number> {
    return this.#store.forget({ where: IS_TRIPLE }, call);
  }

  /** Returns one page of the matching triples. An empty pattern matches all. */
  async query(pattern: TriplePattern = {}, options: QueryOptions = {}): Promise<QueryResult> {
    const { limit, cursor, ...call } = parseOptions(QueryOptionsSchema, options);
    const where = patternFilter(pattern, this.#store.options);
    const page = await this.#store.page({ where, limit, cursor, order: "oldest" }, call);
    const { total } = page;
    return {
      triples: page.triples.map(plainTriple),
      total,
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    };
  }

  /** Yields all matching triples, oldest first, reading page by page. Without a pattern the whole graph. */
  async *triples(pattern: TriplePattern = {}, call: GraphCall = {}): AsyncGenerator<Triple> {
    const where = patternFilter(pattern, this.#store.options);
    for await (const triple of this.#store.triples(where, call)) yield plainTriple(triple);
  }

  /** Returns the neighbours of a node. */
  async neighbours(node: string, options: NeighboursOptions = {}): Promise<NeighboursResult> {
    const { direction, predicates, limit, ...call } = parseOptions(NeighboursOptionsSchema, options);
    const at = normaliseNode(node, this.#store.options);
    const { triples, more } = await this.#store.read(edgesAt([at], direction, predicates), limit, call);
    const neighbours = triples.map((stored): Neighbour => {
      const triple = plainTriple(stored);
      const leadsOut = direction !== "in" && triple.subject === at;
      return { node: leadsOut ? triple.object : triple.subject, direction: leadsOut ? "out" : "in", triple };
    });
    return { neighbours, truncated: more };
  }

  /**
   * Returns the shortest paths between two nodes, along triples in either direction. From a node to itself
   * there is one path without steps. Reads at most `tripleCountMax` triples and visits at most `nodeCountMax`
   * nodes.
   */
  async paths(from: string, to: string, options: PathsOptions = {}): Promise<PathsResult> {
    const { depthMax, pathCountMax, predicates, ...call } = parseOptions(PathsOptionsSchema, options);
    const ends = [this.#node(from, "from"), this.#node(to, "to")] as const;
    return findPaths(this.#store, ends, { depthMax, pathCountMax, predicates }, call);
  }

  /**
   * Merges the node `from` into the node `into`. Concurrent changes of `from` are not lost. After an
   * interrupted merge some triples are under both names, and another merge completes it. The result `left`
   * has the triples that could not be moved.
   */
  async merge(from: string, into: string, call: GraphCall = {}): Promise<MergeResult> {
    const ends = [this.#node(from, "from"), this.#node(into, "into")] as const;
    if (ends[0] === ends[1]) throw new TypeError(`cannot merge ${ends[0]} with itself`);
    return mergeNodes(this.#store, ends, call);
  }

  /** Returns the triples that match a text best, by their sentence and their evidence. */
  async search(query: string, options: SearchOptions = {}): Promise<TripleSearchResult> {
    const { limit, minScore, ...call } = parseOptions(SearchOptionsSchema, options);
    return searchTriples(this.#store, { query, limit, minScore }, call);
  }

  /**
   * Adds the statements of a text of 1..100000 characters, read by a model: at most 100 triples, each with a
   * quotation as evidence. The model gets the names of related nodes.
   *
   * @throws {ModelError} as `generateObject` does, for example "invalid_output". Then nothing is written.
   */
  async extract(text: string, options: ExtractOptions): Promise<ExtractResult> {
    return extractTriples(this.#store, text, options);
  }

  #node(node: string, name: string): string {
    return normaliseNode(node, this.#store.options, name);
  }
}
