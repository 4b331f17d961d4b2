import { updateWithRetry } from "@membus/agent-client";
import type { MemoryError } from "@membus/protocol";
import { combineTriples, plainTriple, type StoredTriple, type Triple, tripleHash } from "./triple.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

/**
 * Outcome of a triple. "updated": it existed and has new evidence, better trust or another source now.
 * "duplicate": it existed and nothing is new. "failed": the host rejected it, or other writers kept changing
 * it.
 */
export interface AddedTriple {
  readonly triple: Triple;
  readonly outcome: "created" | "updated" | "duplicate" | "failed";
  /** Reason of a failure. */
  readonly error?: MemoryError;
}

/** A triple to store. `over` is the revision that it replaces, 0 for a new one. */
interface Pending {
  readonly hash: string;
  readonly incoming: Triple;
  readonly triple: Triple;
  readonly over: number;
}

/**
 * Adds all triples in one store, and retries triples that another writer changed. Returns the outcomes in the
 * order of `triples`.
 */
export async function addTriples(
  store: TripleStore,
  triples: readonly Triple[],
  call: GraphCall,
): Promise<AddedTriple[]> {
  const outcomes = new Map<string, AddedTriple>();
  const { clock, options } = store;
  // Most triples are new, so the first attempt does not read. Its conflicts are known triples.
  let left = await writePending(store, distinct(triples), outcomes, call);
  const hashes = () => left.map(({ hash }) => hash);
  if (left.length > 0)
    await updateWithRetry(
      () => store.byHash(hashes(), call),
      (current) => combine(left, current, outcomes),
      async (pending) => {
        left = await writePending(store, pending, outcomes, call);
        return left.length === 0 || undefined;
      },
      { attemptsMax: options.attemptsMax - 1, clock, onExhausted: () => undefined },
    );
  return inOrder(triples, outcomes);
}

/** Combines triples with the same key into one. */
function distinct(triples: readonly Triple[]): Pending[] {
  const byHash = new Map<string, Triple>();
  for (const triple of triples) {
    const hash = tripleHash(triple);
    const known = byHash.get(hash);
    byHash.set(hash, known === undefined ? triple : (combineTriples(known, triple) ?? known));
  }
  return [...byHash].map(([hash, triple]) => ({ hash, incoming: triple, triple, over: 0 }));
}

/** Stores triples. Returns the triples that another writer changed first. They count as failed until the retry. */
async function writePending(
  store: TripleStore,
  pending: readonly Pending[],
  outcomes: Map<string, AddedTriple>,
  call: GraphCall,
): Promise<Pending[]> {
  if (pending.length === 0) return [];
  const { failures, created } = await store.write(pending, call);
  for (const [index, { hash, triple }] of pending.entries()) {
    const error = failures[index];
    if (error !== undefined) outcomes.set(hash, { triple: plainTriple(triple), outcome: "failed", error });
    else outcomes.set(hash, { triple: plainTriple(triple), outcome: created[index] ? "created" : "updated" });
  }
  return pending.filter((_, index) => failures[index]?.code === "conflict");
}

/** Combines triples with the current ones. Leaves out those with nothing new. Undefined if none is left. */
function combine(
  conflicted: readonly Pending[],
  current: ReadonlyMap<string, StoredTriple>,
  outcomes: Map<string, AddedTriple>,
): Pending[] | undefined {
  const renewed: Pending[] = [];
  for (const { hash, incoming } of conflicted) {
    const known = current.get(hash);
    const combined = known === undefined ? incoming : combineTriples(known, incoming);
    if (combined === undefined) outcomes.set(hash, { triple: plainTriple(known!), outcome: "duplicate" });
    else renewed.push({ hash, incoming, triple: combined, over: known?.revision ?? 0 });
  }
  return renewed.length === 0 ? undefined : renewed;
}

/** Returns outcomes in the order of `triples`. A repeated triple is a duplicate. */
function inOrder(triples: readonly Triple[], outcomes: ReadonlyMap<string, AddedTriple>): AddedTriple[] {
  const seen = new Set<string>();
  return triples.map((triple) => {
    const hash = tripleHash(triple);
    const added = outcomes.get(hash)!;
    const isAgain = seen.has(hash) && added.outcome !== "failed";
    seen.add(hash);
    return isAgain ? { ...added, outcome: "duplicate" } : added;
  });
}
