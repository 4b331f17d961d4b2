import type { AgentMemory } from "@membus/agent-client";
import { type Clock, integerOption, LIMITS, systemClock } from "@membus/protocol";
import { type AddedTriple, addTriples } from "./add-triples.js";
import { type ExtractOptions, type ExtractResult, extractTriples } from "./extract-triples.js";
import { findPaths, type PathsResult } from "./find-paths.js";
import { type GraphOptions, resolveGraphOptions } from "./graph-options.js";
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
import { type Direction, edgesAt, IS_TRIPLE, patternFilter, type TriplePattern } from "./triple-pattern.js";
import { type GraphCall, TripleStore } from "./triple-store.js";

export interface QueryOptions extends GraphCall {
  /**
   * Triples of one page, 1..1000.
   * @default 100
   */
  readonly limit?: number | undefined;
  /** Of the page before. */
  readonly cursor?: string | undefined;
}

export interface QueryResult {
  /** The oldest first. */
  readonly triples: readonly Triple[];
  /** All that match. */
  readonly total: number;
  /** There while more may follow. */
  readonly cursor?: string;
}

export interface NeighboursOptions extends GraphCall {
  /**
   * "out": where the node is the subject, "in": where it is the object.
   * @default "both"
   */
  readonly direction?: Direction | undefined;
  /** Along these alone; without it along all but `entity_type` and `observation`. */
  readonly predicates?: readonly string[] | undefined;
  /**
   * Triples, 1..1000.
   * @default 100
   */
  readonly limit?: number | undefined;
}

export interface Neighbour {
  readonly node: string;
  /** Whether the triple leads out of the node that was asked for, or in to it. */
  readonly direction: "out" | "in";
  readonly triple: Triple;
}

export interface NeighboursResult {
  /** One for each triple, the oldest first; a triple from a node to itself is told once, as "out". */
  readonly neighbours: readonly Neighbour[];
  readonly truncated: boolean;
}

export interface PathsOptions extends GraphCall {
  /**
   * Steps of a path, 1..10.
   * @default 4
   */
  readonly depthMax?: number | undefined;
  /**
   * Paths that are told, 1..100.
   * @default 10
   */
  readonly pathCountMax?: number | undefined;
  /** Along these alone; without it along all but `entity_type` and `observation`. */
  readonly predicates?: readonly string[] | undefined;
}

export interface SearchOptions extends GraphCall {
  /**
   * Triples, 1..1000.
   * @default 10
   */
  readonly limit?: number | undefined;
  /**
   * 0..1: triples below it are left out.
   * @default 0
   */
  readonly minScore?: number | undefined;
}

export interface RemoveResult {
  /** In the order given. */
  readonly deleted: readonly TripleKey[];
  readonly notFound: readonly TripleKey[];
}

const checkLimit = integerOption(1, LIMITS.retrieveLimit);
const checkDepth = integerOption(1, 10);
const checkPathCount = integerOption(1, 100);

/**
 * What is known, as triples of subject, predicate and object with what they are known from.
 *
 * Names are made one before anything is compared or stored: composed Unicode (NFC), no spaces around, one space for each
 * run of spaces and line breaks; predicates in lower case with `_` for spaces. Whether nodes keep their case is the
 * option `nodeCase`. Two triples with the same three parts are one, with the evidence of both and the better trust.
 *
 * Every method throws `MemoryError` for what the bus or the host reports, and `TypeError`, before anything is sent, for a
 * mistake in the call.
 */
export class KnowledgeGraph {
  readonly #store: TripleStore;

  /** `memory` says whose graph it is; its namespace is the option's. */
  constructor(memory: AgentMemory, options: GraphOptions = {}, clock: Clock = systemClock) {
    this.#store = new TripleStore(memory, resolveGraphOptions(options), clock);
  }

  /**
   * Adds triples, any number in one call. Evidence adds up, to 8 passages a triple, and sources to 64; trust
   * only rises.
   *
   * @returns what became of each, in the order given. A refused one harms no other: look for "failed".
   * @throws {MemoryError} `too_large`, before anything is stored, for a triple whose parts have over 4096 bytes together.
   */
  async add(triples: TripleInput | readonly TripleInput[], call: GraphCall = {}): Promise<AddedTriple[]> {
    const inputs = Array.isArray(triples) ? (triples as readonly TripleInput[]) : [triples as TripleInput];
    const normal = inputs.map((input) => normaliseTriple(input, this.#store.options));
    return addTriples(this.#store, normal, call);
  }

  /** Removes these triples, and tells which were there: a triple that two remove at once is deleted by one of them. */
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
   * Removes all triples that match.
   * @returns how many. @throws {TypeError} for a pattern that matches everything: that is `clear`.
   */
  async removeMatching(pattern: TriplePattern, call: GraphCall = {}): Promise<number> {
    if (Object.values(pattern).every((part) => part === undefined)) {
      throw new TypeError("the pattern matches every triple: say clear()");
    }
    return this.#store.forget({ where: patternFilter(pattern, this.#store.options) }, call);
  }

  /** Removes every triple of this graph; other entries of its namespace stay. @returns how many. */
  async clear(call: GraphCall = {}): Promise<number> {
    return this.#store.forget({ where: IS_TRIPLE }, call);
  }

  /** One page of the triples that match; all of them where the pattern is empty. */
  async query(pattern: TriplePattern = {}, options: QueryOptions = {}): Promise<QueryResult> {
    const { limit = 100, cursor, ...call } = options;
    checkLimit(limit, "limit");
    const where = patternFilter(pattern, this.#store.options);
    const page = await this.#store.page({ where, limit, cursor, order: "oldest" }, call);
    const { total } = page;
    return {
      triples: page.triples.map(plainTriple),
      total,
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    };
  }

  /** All triples that match, the oldest first, page by page as they are read: the whole graph without a pattern. */
  async *triples(pattern: TriplePattern = {}, call: GraphCall = {}): AsyncGenerator<Triple> {
    const where = patternFilter(pattern, this.#store.options);
    for await (const triple of this.#store.triples(where, call)) yield plainTriple(triple);
  }

  /** What a node is joined to. */
  async neighbours(node: string, options: NeighboursOptions = {}): Promise<NeighboursResult> {
    const { direction = "both", predicates, limit = 100, ...call } = options;
    checkLimit(limit, "limit");
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
   * The shortest ways from one node to another, along triples of either direction; from a node to itself, one without a
   * step. Reads at most `tripleCountMax` triples and visits at most `nodeCountMax` nodes.
   */
  async paths(from: string, to: string, options: PathsOptions = {}): Promise<PathsResult> {
    const { depthMax = 4, pathCountMax = 10, predicates, ...call } = options;
    checkDepth(depthMax, "depthMax");
    checkPathCount(pathCountMax, "pathCountMax");
    const ends = [this.#node(from, "from"), this.#node(to, "to")] as const;
    return findPaths(this.#store, ends, { depthMax, pathCountMax, predicates }, call);
  }

  /**
   * Makes one node of two: what `from` has is `into`'s afterwards. Nothing that others say of `from` meanwhile is lost; a
   * merge that was cut off leaves some triples under both names, and merging again completes it.
   *
   * @returns what could not be rewritten in `left`; all is done where that is empty.
   */
  async merge(from: string, into: string, call: GraphCall = {}): Promise<MergeResult> {
    const ends = [this.#node(from, "from"), this.#node(into, "into")] as const;
    if (ends[0] === ends[1]) throw new TypeError(`${ends[0]} cannot be merged with itself`);
    return mergeNodes(this.#store, ends, call);
  }

  /** The triples that answer a text best, by the host's search over what they say and their evidence. */
  async search(query: string, options: SearchOptions = {}): Promise<TripleSearchResult> {
    const { limit = 10, minScore = 0, ...call } = options;
    checkLimit(limit, "limit");
    return searchTriples(this.#store, { query, limit, minScore }, call);
  }

  /**
   * Adds what a text of 1..100000 characters states, as a model reads it: at most 100 triples, each with the passage that
   * says so as evidence, if that stands in the text. The model is told the names of nodes that the text may mean.
   *
   * @throws {ModelError} as `askFor` does, among others "invalid_output": then nothing is written.
   */
  async extract(text: string, options: ExtractOptions): Promise<ExtractResult> {
    return extractTriples(this.#store, text, options);
  }

  #node(node: string, name: string): string {
    return normaliseNode(node, this.#store.options, name);
  }
}
