import { canonicalText } from "@membus/protocol/records";
import { ModelError } from "../../model/index.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { type RecordOutcome, refused } from "../outcome.js";
import { decide } from "./decide.js";
import { type Candidate, FACT_LENGTH_MAX } from "./fact.js";
import { compareCandidates } from "./neighbours.js";
import type { PendingCandidate, Plan } from "./plan.js";
import { writePlans } from "./write-plans.js";

/** Maximum number of candidates per store. */
const BATCH_COUNT_MAX = 100;

/**
 * Writes candidates as new facts or replacements. After a concurrent change the decision is repeated. Nothing
 * is written if everything was forgotten since the start.
 * @returns an outcome for each candidate, in order.
 */
export async function recordFacts(
  view: NamespaceView,
  candidates: readonly Candidate[],
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const outcomes = new Map<number, RecordOutcome>();
  const first = new Map<string, PendingCandidate>();
  const repeats = new Map<number, PendingCandidate>();
  for (const [index, given] of candidates.entries()) {
    const candidate = { ...given, text: canonicalText(given.text) };
    const earlier = first.get(candidate.text);
    const problem = problemOf(candidate.text);
    if (problem !== undefined) outcomes.set(index, refused(given.text, problem));
    else if (earlier !== undefined) repeats.set(index, earlier);
    else first.set(candidate.text, { index, candidate });
  }
  const pending = [...first.values()];
  for (let from = 0; from < pending.length; from += BATCH_COUNT_MAX) {
    const batch = pending.slice(from, from + BATCH_COUNT_MAX);
    for (const [index, outcome] of await reconcile(view, batch, isForgotten, context))
      outcomes.set(index, outcome);
  }
  for (const [index, earlier] of repeats) outcomes.set(index, repeatedOutcome(outcomes.get(earlier.index)!));
  return candidates.map((_, index) => outcomes.get(index)!);
}

async function reconcile(
  view: NamespaceView,
  batch: readonly PendingCandidate[],
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<Map<number, RecordOutcome>> {
  const outcomes = new Map<number, RecordOutcome>();
  let pending = batch;
  for (let round = 0; round < context.options.decisionCountMax && pending.length > 0; round++) {
    const plans = await plansFor(view, pending, context);
    if ("reason" in plans) return refuseAll(pending, plans.reason, outcomes);
    context.signal?.throwIfAborted();
    if (await isForgotten()) return refuseAll(pending, FORGOTTEN, outcomes);
    const written = await writePlans(view, plans, context);
    for (const [index, outcome] of written.outcomes) outcomes.set(index, outcome);
    pending = written.undecided;
  }
  return refuseAll(pending, CONFLICT, outcomes);
}

/** @throws {ModelError} if nothing is written yet. Later failures are reported in the outcomes. */
async function plansFor(
  view: NamespaceView,
  pending: readonly PendingCandidate[],
  context: CallContext,
): Promise<readonly Plan[] | { readonly reason: string }> {
  try {
    return await decide(view, await compareCandidates(view, pending, context), context);
  } catch (error) {
    const isFirst = context.meter.cost.entriesWritten === 0 || context.isRepeated === true;
    if (!(error instanceof ModelError) || isFirst) throw error;
    return { reason: `${error.code}: ${error.message}` };
  }
}

/** Reason for candidates that were in progress during a forget of everything. */
export const FORGOTTEN = "conflict: all memories of this subject were forgotten concurrently";
const CONFLICT = "conflict: other writers keep changing the related facts";

function refuseAll(
  pending: readonly PendingCandidate[],
  reason: string,
  outcomes: Map<number, RecordOutcome>,
): Map<number, RecordOutcome> {
  for (const { index, candidate, writtenId } of pending) {
    const isWritten = writtenId !== undefined;
    outcomes.set(
      index,
      isWritten ? { outcome: "new", text: candidate.text, id: writtenId } : refused(candidate.text, reason),
    );
  }
  return outcomes;
}

function problemOf(text: string): string | undefined {
  if (text === "") return "schema_violation: the text has no words";
  if (text.length <= FACT_LENGTH_MAX) return undefined;
  return `too_large: the fact has ${text.length} characters, limit ${FACT_LENGTH_MAX}. Split it into several facts`;
}

/** Returns the outcome for a text that occurs twice in one call. */
function repeatedOutcome(outcome: RecordOutcome): RecordOutcome {
  if (outcome.outcome === "refused") return outcome;
  return { outcome: "duplicate", text: outcome.text, id: outcome.id };
}
