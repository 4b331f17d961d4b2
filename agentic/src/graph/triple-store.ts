import { randomUUID } from "node:crypto";
import {
  type AgentMemory,
  type CallOptions,
  type ForgetRequest,
  type RetrieveRequest,
  toMemoryError,
} from "@membus/agent-client";
import { type Clock, type Filter, LIMITS, type MemoryError } from "@membus/protocol";
import type { ResolvedGraphOptions } from "./graph-options.js";
import { readTriple, type StoredTriple, type Triple, tripleEntry } from "./triple.js";

/** Options of a call. The client sets its time limits. */
export type GraphCall = Pick<CallOptions, "signal">;

/** Metadata field of a triple that a call is about to forget, with the id of that call. */
const MARK_FIELD = "forgotten_by";

/** Forget requests in flight at a time. */
const FORGETS_AT_ONCE = 16;

export type TripleCriteria = Pick<ForgetRequest, "keys" | "where">;

interface TriplePage {
  readonly triples: readonly (StoredTriple & { readonly score: number })[];
  readonly total: number;
  readonly cursor: string | undefined;
}

/** Error of one triple of a store. undefined if it is stored. */
export type WriteFailure = MemoryError | undefined;

/** The triples of one graph as entries of the host. */
export class TripleStore {
  readonly options: ResolvedGraphOptions;
  readonly clock: Clock;
  readonly #memory: AgentMemory;

  constructor(memory: AgentMemory, options: ResolvedGraphOptions, clock: Clock) {
    this.#memory = memory.inNamespace(options.namespace);
    this.options = options;
    this.clock = clock;
  }

  /** Yields matching triples, oldest first, at most `limit`. */
  async *triples(
    where: Filter,
    { limit, ...call }: GraphCall & { limit?: number } = {},
  ): AsyncGenerator<StoredTriple> {
    const request = { tier: this.options.tier, where, order: "oldest" as const, limit };
    for await (const entry of this.#memory.entries(request, { ...call, pageSize: LIMITS.retrieveLimit })) {
      const triple = readTriple(entry);
      if (triple !== undefined) yield triple;
    }
  }

  /** Returns at most `limit` matching triples, and whether there are more. */
  async read(
    where: Filter,
    limit: number,
    call: GraphCall,
  ): Promise<{ triples: StoredTriple[]; more: boolean }> {
    const triples: StoredTriple[] = [];
    for await (const triple of this.triples(where, { ...call, limit: limit + 1 })) {
      if (triples.length === limit) return { triples, more: true };
      triples.push(triple);
    }
    return { triples, more: false };
  }

  /** Returns the current triples of these hashes, by hash. */
  async byHash(hashes: readonly string[], call: GraphCall): Promise<Map<string, StoredTriple>> {
    const found = new Map<string, StoredTriple>();
    for (let at = 0; at < hashes.length; at += LIMITS.criteriaKeys) {
      const keys = hashes.slice(at, at + LIMITS.criteriaKeys).map((hash) => ({ $hash: hash }));
      const request = { tier: this.options.tier, keys, limit: keys.length };
      for await (const entry of this.#memory.entries(request, { ...call, pageSize: LIMITS.retrieveLimit })) {
        const triple = readTriple(entry);
        if (triple !== undefined) found.set(triple.hash, triple);
      }
    }
    return found;
  }

  /** Returns one page of triples in the order of the host. */
  async page(request: RetrieveRequest, call: GraphCall): Promise<TriplePage> {
    const page = await this.#memory.retrieve({ ...request, tier: this.options.tier }, call);
    const triples = page.entries.flatMap((entry) => {
      const triple = readTriple(entry);
      return triple === undefined ? [] : [{ ...triple, score: entry.score }];
    });
    return { triples, total: page.total, cursor: page.cursor };
  }

  /** Stores each triple over its revision `over`. 0 stores only a new one. Returns failures by index. */
  async write(
    triples: readonly { readonly triple: Triple; readonly over: number }[],
    call: GraphCall,
  ): Promise<{ failures: WriteFailure[]; created: boolean[] }> {
    const entries = triples.map(({ triple, over }) => ({
      ...tripleEntry(triple, this.options),
      if_revision: over,
    }));
    const failures: WriteFailure[] = triples.map(() => undefined);
    const created = triples.map(() => false);
    const { errors, receipts } = await this.#memory.store(entries, { ...call, partial: true });
    for (const error of errors) failures[error.index] = toMemoryError(error);
    for (const { index, outcome } of receipts) created[index] = outcome === "created";
    return { failures, created };
  }

  /**
   * Forgets the triples that are unchanged since they were read. Each is marked over its revision, and a
   * concurrent change removes the mark. Returns the deleted triples.
   */
  async forgetUnchanged<T extends StoredTriple>(triples: readonly T[], call: GraphCall): Promise<T[]> {
    if (triples.length === 0) return [];
    const mark = randomUUID();
    const entries = triples.map((triple) => {
      const { metadata, ...entry } = tripleEntry(triple, this.options);
      return { ...entry, metadata: { ...metadata, [MARK_FIELD]: mark }, if_revision: triple.revision };
    });
    const { receipts } = await this.#memory.store(entries, { ...call, partial: true });
    const where = { field: `metadata.${MARK_FIELD}`, op: "eq", value: mark } as const;
    const deleted = await this.forget({ where }, call);
    const marked = receipts.map(({ index }) => triples[index]!);
    if (deleted === marked.length) return marked;
    const changed = await this.byHash(
      marked.map(({ hash }) => hash),
      call,
    );
    return marked.filter(({ hash }) => !changed.has(hash));
  }

  /** Forgets by each selection separately. Returns the number of deleted entries for each. */
  async forgetEach(all: readonly TripleCriteria[], call: GraphCall): Promise<number[]> {
    const deleted: number[] = [];
    for (let at = 0; at < all.length; at += FORGETS_AT_ONCE) {
      const together = all.slice(at, at + FORGETS_AT_ONCE).map((criteria) => this.forget(criteria, call));
      deleted.push(...(await Promise.all(together)));
    }
    return deleted;
  }

  /** Returns the number of deleted entries. */
  async forget(criteria: TripleCriteria, call: GraphCall): Promise<number> {
    return (await this.#memory.forget({ ...criteria, tier: this.options.tier }, call)).deleted;
  }
}
