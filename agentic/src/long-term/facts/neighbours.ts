import { LIMITS } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../shelf.js";
import { currentAt, type Fact, readFact } from "./fact.js";
import { lookUp } from "./look-up.js";
import type { Looked, Pending } from "./plan.js";

/** Queries that are asked at the same time. */
const QUERIES_AT_ONCE = 8;

/**
 * Puts each candidate beside the current facts that answer it: with a model those that it may be about, else, where these
 * are asked for, those that may say the same.
 */
export async function look(
  shelf: NamespaceView,
  pending: readonly Pending[],
  context: CallContext,
): Promise<Looked[]> {
  const { options, clock, model } = context;
  const now = clock.now();
  const slots = await lookUp(
    shelf,
    pending.map(({ candidate }) => candidate.text),
    now,
  );
  const minScore = model === undefined ? options.similarScore : options.neighbourScore;
  const looked: Looked[] = [];
  for (let from = 0; from < pending.length; from += QUERIES_AT_ONCE) {
    const part = pending.slice(from, from + QUERIES_AT_ONCE).map(async (one): Promise<Looked> => {
      const { text } = one.candidate;
      const slot = slots.get(text)!;
      const isThere = slot.current !== undefined && slot.current.id !== one.writtenId;
      if (isThere || minScore === undefined) {
        return { pending: one, slot, neighbours: [] };
      }
      const found = await related(shelf, text, { now, minScore, limit: options.neighbourCountMax });
      const others = found.filter(({ id }) => id !== one.writtenId);
      // Somebody may have written it since it was looked up.
      const itself = others.find((fact) => fact.text === text);
      return itself === undefined
        ? { pending: one, slot, neighbours: others }
        : { pending: one, slot: { ...slot, current: itself }, neighbours: [] };
    });
    looked.push(...(await Promise.all(part)));
  }
  return looked;
}

async function related(
  shelf: NamespaceView,
  text: string,
  { now, minScore, limit }: { readonly now: number; readonly minScore: number; readonly limit: number },
): Promise<Fact[]> {
  const entries = await shelf.page({
    query: text.slice(0, LIMITS.queryLength).toWellFormed(),
    where: { all: [kindIs("fact"), currentAt(now)] },
    min_score: minScore,
    // One more: it may find itself.
    limit: limit + 1,
  });
  return entries.map(readFact).filter((fact) => fact !== undefined);
}
