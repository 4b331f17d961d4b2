import { pauseAfterConflict } from "@membus/agent-client";
import type { MemoryError } from "@membus/protocol";
import { combineTriples, plainTriple, type Triple, tripleHash } from "./triple.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

/**
 * What became of a triple: "updated" is one that was there and has new evidence, better trust or another source now, "duplicate" one that
 * was there and is no news, "failed" one that the host has refused, or that others kept changing.
 */
export interface AddedTriple {
  readonly triple: Triple;
  readonly outcome: "created" | "updated" | "duplicate" | "failed";
  /** Why it has failed. */
  readonly error?: MemoryError;
}

/** A triple on its way: `over` is the revision that it is stored over, 0 for one that is new. */
interface Pending {
  readonly hash: string;
  readonly incoming: Triple;
  readonly triple: Triple;
  readonly over: number;
}

/** Adds all in one store, and again those that another writer forestalled. Outcomes in the order of `triples`. */
export async function addTriples(
  store: TripleStore,
  triples: readonly Triple[],
  call: GraphCall,
): Promise<AddedTriple[]> {
  const outcomes = new Map<string, AddedTriple>();
  let pending = distinct(triples);
  for (let attempt = 1; pending.length > 0; attempt++) {
    const forestalled = await writePending(store, pending, outcomes, call);
    if (forestalled.length === 0 || attempt === store.options.attemptsMax) break;
    if (attempt > 1) await pauseAfterConflict(attempt, store.clock);
    pending = await renew(store, forestalled, outcomes, call);
  }
  return inOrder(triples, outcomes);
}

/** One for each key: what is said twice is said together. */
function distinct(triples: readonly Triple[]): Pending[] {
  const byHash = new Map<string, Triple>();
  for (const triple of triples) {
    const hash = tripleHash(triple);
    const known = byHash.get(hash);
    byHash.set(hash, known === undefined ? triple : (combineTriples(known, triple) ?? known));
  }
  return [...byHash].map(([hash, triple]) => ({ hash, incoming: triple, triple, over: 0 }));
}

/** @returns those that were not stored because somebody else was faster; they count as failed until tried again. */
async function writePending(
  store: TripleStore,
  pending: readonly Pending[],
  outcomes: Map<string, AddedTriple>,
  call: GraphCall,
): Promise<Pending[]> {
  const { failures, created } = await store.write(pending, call);
  for (const [index, { hash, triple }] of pending.entries()) {
    const error = failures[index];
    if (error !== undefined) outcomes.set(hash, { triple: plainTriple(triple), outcome: "failed", error });
    else outcomes.set(hash, { triple: plainTriple(triple), outcome: created[index] ? "created" : "updated" });
  }
  return pending.filter((_, index) => failures[index]?.code === "conflict");
}

/** The same over what is there now, without those that are no news there. */
async function renew(
  store: TripleStore,
  forestalled: readonly Pending[],
  outcomes: Map<string, AddedTriple>,
  call: GraphCall,
): Promise<Pending[]> {
  const current = await store.byHash(
    forestalled.map(({ hash }) => hash),
    call,
  );
  const renewed: Pending[] = [];
  for (const { hash, incoming } of forestalled) {
    const known = current.get(hash);
    const combined = known === undefined ? incoming : combineTriples(known, incoming);
    if (combined === undefined) outcomes.set(hash, { triple: plainTriple(known!), outcome: "duplicate" });
    else renewed.push({ hash, incoming, triple: combined, over: known?.revision ?? 0 });
  }
  return renewed;
}

/** A triple that was given twice is news once. */
function inOrder(triples: readonly Triple[], outcomes: ReadonlyMap<string, AddedTriple>): AddedTriple[] {
  const told = new Set<string>();
  return triples.map((triple) => {
    const hash = tripleHash(triple);
    const added = outcomes.get(hash)!;
    const isAgain = told.has(hash) && added.outcome !== "failed";
    told.add(hash);
    return isAgain ? { ...added, outcome: "duplicate" } : added;
  });
}
