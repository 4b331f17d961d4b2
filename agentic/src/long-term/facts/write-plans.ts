import { isDeepStrictEqual } from "node:util";
import type { EntryInput, StoreResult } from "@membus/agent-client";
import { keyHash, type StoreError, type StoreReceipt } from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import { repeatedSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { type RecordOutcome, refused } from "../outcome.js";
import { type Fact, factEntry, isLowerTrust, repeatedEntry, supersededEntry } from "./fact.js";
import type { PendingCandidate, Plan } from "./plan.js";

/** The results of plans: outcomes by index, and candidates to decide again. */
export interface WrittenPlans {
  readonly outcomes: ReadonlyMap<number, RecordOutcome>;
  readonly undecided: readonly PendingCandidate[];
}

/** A plan with the positions of its new fact and of its superseded fact in the store request. */
interface Step {
  readonly plan: Plan;
  readonly id: string;
  readonly creates?: number | undefined;
  readonly marks?: number | undefined;
}

/**
 * Writes new facts and the ends of the facts that they replace in one atomic store, each at the revision of
 * the decision.
 */
export async function writePlans(
  view: NamespaceView,
  plans: readonly Plan[],
  context: CallContext,
): Promise<WrittenPlans> {
  const outcomes = new Map<number, RecordOutcome>();
  const undecided: PendingCandidate[] = [];
  const entries: EntryInput[] = [];
  const steps: Step[] = [];
  const replaced = new Set<string>();
  const duplicates = plans.filter(({ outcome }) => outcome === "duplicate");
  for (const plan of plans) {
    if (plan.outcome !== "duplicate") steps.push(stepOf(plan, entries, replaced, context));
  }
  const repeats = pushRepeated(plans, entries, replaced);
  for (const plan of duplicates) outcomes.set(plan.pending.index, outcomeOf(plan, plan.target!.id));
  if (entries.length > 0) {
    const results = new Results(await view.store(entries));
    context.meter.written(results.writtenCount);
    for (const step of steps) {
      const settled = await outcomeOrRetry(view, step, results, context);
      if ("outcome" in settled) outcomes.set(step.plan.pending.index, settled);
      else undecided.push(settled);
    }
    for (const { pending, target } of duplicates) {
      if (results.error(repeats.get(target!.id))?.code !== "conflict") continue;
      outcomes.delete(pending.index);
      undecided.push(pending);
    }
  } else for (const { plan, id } of steps) outcomes.set(plan.pending.index, outcomeOf(plan, id));
  return { outcomes, undecided };
}

/**
 * Adds updates for facts that were repeated with higher trust or from another source.
 * @returns the positions, by fact id, of those with another source. Without it, a cascade could delete them
 * too early.
 */
function pushRepeated(
  plans: readonly Plan[],
  entries: EntryInput[],
  replaced: ReadonlySet<string>,
): Map<string, number> {
  const repeated = new Map<string, { fact: Fact; trust: Trust; sources: readonly string[] }>();
  for (const { outcome, target, slot, candidate } of plans) {
    const isDuplicate = outcome === "duplicate";
    const fact = isDuplicate ? target : slot.current;
    if (fact === undefined || replaced.has(fact.id)) continue;
    const { trust, sources } = repeated.get(fact.id) ?? { ...fact.metadata, sources: fact.entry.sources };
    const isVouched = isDuplicate && isLowerTrust(trust, candidate.trust);
    repeated.set(fact.id, {
      fact,
      trust: isVouched ? candidate.trust : trust,
      sources: repeatedSources(sources, candidate.sources),
    });
  }
  const sourced = new Map<string, number>();
  for (const [id, { fact, trust, sources }] of repeated) {
    const isSourced = !isDeepStrictEqual(sources, fact.entry.sources ?? []);
    if (isSourced) sourced.set(id, entries.length);
    if (isSourced || trust !== fact.metadata.trust) entries.push(repeatedEntry(fact, { trust, sources }));
  }
  return sourced;
}

/** Adds the entries of a plan. Each fact is replaced once. Further replacements of it become new facts. */
function stepOf(plan: Plan, entries: EntryInput[], replaced: Set<string>, context: CallContext): Step {
  const { pending, slot, candidate } = plan;
  const target = plan.target !== undefined && !replaced.has(plan.target.id) ? plan.target : undefined;
  const step = {
    plan: target === plan.target ? plan : { ...plan, target, outcome: "new" as const },
    id: slot.current?.id ?? slot.freeId,
  };
  const replaces = target !== undefined && target.id !== step.id;
  // The later statement wins, whatever its date, so that one of the two is true at any time.
  const from = Math.max(candidate.validFrom, (replaces && target.metadata.valid_from) || 0);
  const creates = slot.current === undefined && pending.writtenId === undefined ? entries.length : undefined;
  if (creates !== undefined) {
    entries.push(factEntry(step.id, context.options.subject, { ...candidate, validFrom: from }));
  }
  if (!replaces) return { ...step, creates };
  replaced.add(target.id);
  const marks = entries.push(supersededEntry(target, from, keyHash({ fact: step.id }))) - 1;
  return { ...step, creates, marks };
}

class Results {
  readonly writtenCount: number;
  readonly #receipts: ReadonlyMap<number, StoreReceipt>;
  readonly #errors: ReadonlyMap<number, StoreError>;

  constructor({ receipts, errors }: StoreResult) {
    this.#receipts = new Map(receipts.map((receipt) => [receipt.index, receipt]));
    this.#errors = new Map(errors.map((error) => [error.index, error]));
    this.writtenCount = receipts.filter(({ outcome }) => outcome !== "unchanged").length;
  }

  receipt(index: number | undefined): StoreReceipt | undefined {
    return index === undefined ? undefined : this.#receipts.get(index);
  }

  error(index: number | undefined): StoreError | undefined {
    return index === undefined ? undefined : this.#errors.get(index);
  }
}

async function outcomeOrRetry(
  view: NamespaceView,
  { plan, id, creates, marks }: Step,
  results: Results,
  context: CallContext,
): Promise<RecordOutcome | PendingCandidate> {
  const { pending, candidate, target } = plan;
  const failed = results.error(creates);
  const marked = results.receipt(marks);
  if (failed !== undefined && marked !== undefined) await undoEnd(view, plan, marked, context);
  if (failed !== undefined && failed.code !== "conflict") {
    return refused(candidate.text, `${failed.code}: ${failed.message}`);
  }
  if (failed !== undefined) return pending;
  if (results.error(marks) === undefined) return outcomeOf(plan, id);
  // A text merged with the old fact is obsolete. The news itself is not.
  const isMade = candidate.text !== pending.candidate.text;
  if (isMade && creates !== undefined) await deleteFact(view, id, context);
  return isMade || target === undefined ? pending : { ...pending, writtenId: id };
}

/** Undoes the end of a fact if its replacement was not stored. */
async function undoEnd(view: NamespaceView, { target }: Plan, receipt: StoreReceipt, { meter }: CallContext) {
  const entry = { ...target!.entry, if_revision: receipt.revision } as EntryInput;
  const { receipts } = await view.store([entry]);
  meter.written(receipts.length);
}

async function deleteFact(view: NamespaceView, id: string, { meter }: CallContext): Promise<void> {
  meter.written(await view.forget({ keys: [{ fact: id }] }));
}

function outcomeOf({ outcome, target, candidate, similar }: Plan, id: string): RecordOutcome {
  const isReplaced = outcome !== "duplicate" && target !== undefined && target.id !== id;
  return {
    outcome,
    text: candidate.text,
    id,
    ...(isReplaced && { replaced: target.id }),
    ...(similar && { similar }),
  };
}
