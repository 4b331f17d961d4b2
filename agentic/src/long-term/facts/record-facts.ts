import { canonicalText } from "@membus/protocol";
import { ModelError } from "../../model/index.js";
import type { CallContext } from "../call-context.js";
import { type RecordOutcome, refused } from "../outcome.js";
import type { NamespaceView } from "../shelf.js";
import { decide } from "./decide.js";
import { type Candidate, FACT_LENGTH_MAX } from "./fact.js";
import { look } from "./neighbours.js";
import type { Pending, Plan } from "./plan.js";
import { writePlans } from "./write-plans.js";

/** Candidates that are written in one store. */
const BATCH_COUNT_MAX = 100;

/**
 * Writes candidates beside what there is, or in its place. What somebody else changes or forgets meanwhile is decided about
 * again; what everything was forgotten for since `mark` is not written.
 * @returns an outcome for each, in their order.
 */
export async function recordFacts(
  shelf: NamespaceView,
  candidates: readonly Candidate[],
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const outcomes = new Map<number, RecordOutcome>();
  const first = new Map<string, Pending>();
  const twins = new Map<number, Pending>();
  for (const [index, given] of candidates.entries()) {
    const candidate = { ...given, text: canonicalText(given.text) };
    const twin = first.get(candidate.text);
    const fault = faultOf(candidate.text);
    if (fault !== undefined) outcomes.set(index, refused(given.text, fault));
    else if (twin !== undefined) twins.set(index, twin);
    else first.set(candidate.text, { index, candidate });
  }
  const pending = [...first.values()];
  for (let from = 0; from < pending.length; from += BATCH_COUNT_MAX) {
    const batch = pending.slice(from, from + BATCH_COUNT_MAX);
    for (const [index, outcome] of await reconcile(shelf, batch, isForgotten, context))
      outcomes.set(index, outcome);
  }
  for (const [index, twin] of twins) outcomes.set(index, twinOutcome(outcomes.get(twin.index)!));
  return candidates.map((_, index) => outcomes.get(index)!);
}

async function reconcile(
  shelf: NamespaceView,
  batch: readonly Pending[],
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<Map<number, RecordOutcome>> {
  const outcomes = new Map<number, RecordOutcome>();
  let pending = batch;
  for (let round = 0; round < context.options.decisionCountMax && pending.length > 0; round++) {
    const plans = await plansFor(shelf, pending, context);
    if ("reason" in plans) return refuseAll(pending, plans.reason, outcomes);
    context.signal?.throwIfAborted();
    if (await isForgotten()) return refuseAll(pending, FORGOTTEN, outcomes);
    const written = await writePlans(shelf, plans, context);
    for (const [index, outcome] of written.outcomes) outcomes.set(index, outcome);
    pending = written.again;
  }
  return refuseAll(pending, CONFLICT, outcomes);
}

/** @throws {ModelError} where nothing is written yet: later on it is told of what is left. */
async function plansFor(
  shelf: NamespaceView,
  pending: readonly Pending[],
  context: CallContext,
): Promise<readonly Plan[] | { readonly reason: string }> {
  try {
    return await decide(shelf, await look(shelf, pending, context), context);
  } catch (error) {
    const isFirst = context.meter.cost.entriesWritten === 0 || context.isRepeated === true;
    if (!(error instanceof ModelError) || isFirst) throw error;
    return { reason: `${error.code}: ${error.message}` };
  }
}

/** Why what was being decided is not written any more. */
export const FORGOTTEN = "conflict: everything about this was forgotten meanwhile";
const CONFLICT = "conflict: what it is about is being changed by others";

function refuseAll(
  pending: readonly Pending[],
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

function faultOf(text: string): string | undefined {
  if (text === "") return "schema_violation: there are no words in it";
  if (text.length <= FACT_LENGTH_MAX) return undefined;
  return `too_large: a fact has at most ${FACT_LENGTH_MAX} characters, and this one ${text.length}`;
}

/** The same text twice in one call is one fact. */
function twinOutcome(outcome: RecordOutcome): RecordOutcome {
  if (outcome.outcome === "refused") return outcome;
  return { outcome: "duplicate", text: outcome.text, id: outcome.id };
}
