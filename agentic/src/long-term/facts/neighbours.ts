import { LIMITS } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { currentAt, type Fact, isComparable, readFact, speakerOf } from "./fact.js";
import { lookUp } from "./look-up.js";
import type { ComparedCandidate, PendingCandidate } from "./plan.js";

/** Maximum number of concurrent queries. */
const QUERY_CONCURRENCY = 8;

/**
 * Compares each candidate with similar current facts: with a model those that may be related, without one, if
 * `similarScore` is set, those that may have the same meaning.
 */
export async function compareCandidates(
  view: NamespaceView,
  pending: readonly PendingCandidate[],
  context: CallContext,
): Promise<ComparedCandidate[]> {
  const { options, clock, model } = context;
  const now = clock.now();
  const slots = await lookUp(
    view,
    pending.map(({ candidate }) => candidate.text),
    now,
  );
  const minScore = model === undefined ? options.similarScore : options.neighbourScore;
  const compared: ComparedCandidate[] = [];
  for (let from = 0; from < pending.length; from += QUERY_CONCURRENCY) {
    const part = pending
      .slice(from, from + QUERY_CONCURRENCY)
      .map(async (one): Promise<ComparedCandidate> => {
        const { text } = one.candidate;
        const slot = slots.get(text)!;
        const exists = slot.current !== undefined && slot.current.id !== one.writtenId;
        if (exists || minScore === undefined) {
          return { pending: one, slot, neighbours: [] };
        }
        const found = await findRelated(view, text, { now, minScore, limit: options.neighbourCountMax });
        const others = found.filter((fact) => fact.id !== one.writtenId && isRelated(one, fact));
        // Another writer may have stored it since the lookup.
        const itself = others.find((fact) => fact.text === text);
        return itself === undefined
          ? { pending: one, slot, neighbours: others }
          : { pending: one, slot: { ...slot, current: itself }, neighbours: [] };
      });
    compared.push(...(await Promise.all(part)));
  }
  return compared;
}

function isRelated({ candidate }: PendingCandidate, fact: Fact): boolean {
  return isComparable(candidate, { text: fact.text, speaker: speakerOf(fact) });
}

async function findRelated(
  view: NamespaceView,
  text: string,
  { now, minScore, limit }: { readonly now: number; readonly minScore: number; readonly limit: number },
): Promise<Fact[]> {
  const entries = await view.page({
    query: text.slice(0, LIMITS.queryLength).toWellFormed(),
    where: { all: [kindIs("fact"), currentAt(now)] },
    min_score: minScore,
    // One more, because the fact may find itself.
    limit: limit + 1,
  });
  return entries.map(readFact).filter((fact) => fact !== undefined);
}
