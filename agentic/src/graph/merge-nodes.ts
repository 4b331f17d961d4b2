import { pauseAfterConflict } from "@membus/agent-client";
import { addTriples } from "./add-triples.js";
import { plainTriple, RESERVED_PREDICATES, type StoredTriple, type Triple, tripleHash } from "./triple.js";
import { touching } from "./triple-pattern.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

export interface MergeResult {
  /** Triples that are the other node's now; one that it had already has the evidence of both. */
  readonly rewritten: number;
  /** Triples between the two nodes, which would join the node to itself: they are gone. */
  readonly dropped: readonly Triple[];
  /** Triples that are still the old node's, because the host refused the new ones or others kept changing them. */
  readonly left: readonly Triple[];
}

/** Triples that are rewritten at a time. */
const TRIPLES_PER_ROUND = 500;

/**
 * Each triple is added under its new node first and forgotten under its old one then, and only in the version that was
 * added: what another writer says of it meanwhile is read and moved in the next round. A merge that was cut off is
 * completed by another one.
 */
export async function mergeNodes(
  store: TripleStore,
  [from, into]: readonly [string, string],
  call: GraphCall,
): Promise<MergeResult> {
  const dropped = new Map<string, Triple>();
  let rewritten = 0;
  let fruitless = 0;
  for (;;) {
    const { triples } = await store.read(touching([from]), TRIPLES_PER_ROUND, call);
    const isEnough = rewritten >= store.options.tripleCountMax || fruitless === store.options.attemptsMax;
    if (triples.length === 0 || isEnough) {
      const left = triples.length === 0 ? [] : await readLeft(store, from, call);
      return { rewritten, dropped: [...dropped.values()], left };
    }
    const moved = await moveTriples(store, triples, [from, into], call);
    for (const triple of moved.dropped) dropped.set(tripleHash(triple), triple);
    rewritten += moved.rewritten;
    fruitless = moved.gone === 0 ? fruitless + 1 : 0;
    if (moved.gone === 0) await pauseAfterConflict(fruitless, store.clock);
  }
}

async function readLeft(store: TripleStore, from: string, call: GraphCall): Promise<Triple[]> {
  const { triples } = await store.read(touching([from]), store.options.tripleCountMax, call);
  return triples.map(plainTriple);
}

async function moveTriples(
  store: TripleStore,
  triples: readonly StoredTriple[],
  [from, into]: readonly [string, string],
  call: GraphCall,
): Promise<{ rewritten: number; gone: number; dropped: Triple[] }> {
  const moves = triples.map((old) => ({ old, renamed: rename(old, from, into) }));
  const kept = moves.filter(({ renamed }) => renamed !== undefined);
  const added = await addTriples(
    store,
    kept.map(({ renamed }) => renamed!),
    call,
  );
  const safe = kept.filter((_, index) => added[index]!.outcome !== "failed");
  const loops = moves.filter(({ renamed }) => renamed === undefined);
  const outdated = [...safe, ...loops].map(({ old }) => old);
  const gone = await store.forgetUnchanged(outdated, call);
  const dropped = loops.map(({ old }) => old).filter((old) => gone.includes(old));
  return { rewritten: gone.length - dropped.length, gone: gone.length, dropped: dropped.map(plainTriple) };
}

/** The triple with the one node for the other; undefined where that would join a node to itself. */
function rename(old: StoredTriple, from: string, into: string): Triple | undefined {
  const isText = RESERVED_PREDICATES.includes(old.predicate);
  const subject = old.subject === from ? into : old.subject;
  const object = old.object === from && !isText ? into : old.object;
  const joined = !isText && subject === object && old.subject !== old.object;
  return joined ? undefined : { ...plainTriple(old), subject, object };
}
