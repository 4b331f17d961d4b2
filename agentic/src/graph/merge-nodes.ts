import { updateWithRetry } from "@membus/agent-client";
import { addTriples } from "./add-triples.js";
import { plainTriple, RESERVED_PREDICATES, type StoredTriple, type Triple, tripleHash } from "./triple.js";
import { touching } from "./triple-pattern.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

export interface MergeResult {
  /** Number of triples moved to the other node. A triple that it had already has the evidence of both. */
  readonly rewritten: number;
  /** Deleted triples between the two nodes, which would connect the node to itself. */
  readonly dropped: readonly Triple[];
  /**
   * Triples still at the old node, because the host rejected the new ones or other writers kept changing
   * them.
   */
  readonly left: readonly Triple[];
}

/** Triples moved in one round. */
const TRIPLES_PER_ROUND = 500;

/**
 * Moves triples from one node to another. Each triple is added at the new node, then forgotten at the old one
 * if it is unchanged. Concurrent changes are moved in the next round. Another merge completes an interrupted
 * one.
 */
export async function mergeNodes(
  store: TripleStore,
  [from, into]: readonly [string, string],
  call: GraphCall,
): Promise<MergeResult> {
  const dropped = new Map<string, Triple>();
  let rewritten = 0;
  let isDone = false;
  while (rewritten < store.options.tripleCountMax) {
    const moved = await moveSome(store, [from, into], call);
    isDone = moved === undefined;
    if (moved === undefined || moved.deleted === 0) break;
    for (const triple of moved.dropped) dropped.set(tripleHash(triple), triple);
    rewritten += moved.rewritten;
  }
  // Once no triple was left, another read could only find triples that were added after the merge.
  const left = isDone ? [] : await readLeft(store, from, call);
  return { rewritten, dropped: [...dropped.values()], left };
}

/** Moves the triples of one round. Undefined if none is left. Deletes none if other writers keep changing all of them. */
function moveSome(store: TripleStore, nodes: readonly [string, string], call: GraphCall) {
  return updateWithRetry(
    () => store.read(touching([nodes[0]]), TRIPLES_PER_ROUND, call),
    ({ triples }) => (triples.length === 0 ? undefined : triples),
    async (triples) => {
      const moved = await moveTriples(store, triples, nodes, call);
      return moved.deleted === 0 ? undefined : moved;
    },
    {
      attemptsMax: store.options.attemptsMax,
      clock: store.clock,
      onExhausted: () => ({ rewritten: 0, deleted: 0, dropped: [] }),
    },
  );
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
): Promise<{ rewritten: number; deleted: number; dropped: Triple[] }> {
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
  const deleted = await store.forgetUnchanged(outdated, call);
  const dropped = loops.map(({ old }) => old).filter((old) => deleted.includes(old));
  return {
    rewritten: deleted.length - dropped.length,
    deleted: deleted.length,
    dropped: dropped.map(plainTriple),
  };
}

/** Returns the triple at the other node. undefined if it would connect the node to itself. */
function rename(old: StoredTriple, from: string, into: string): Triple | undefined {
  const isText = RESERVED_PREDICATES.includes(old.predicate);
  const subject = old.subject === from ? into : old.subject;
  const object = old.object === from && !isText ? into : old.object;
  const joined = !isText && subject === object && old.subject !== old.object;
  return joined ? undefined : { ...plainTriple(old), subject, object };
}
