import { isDeepStrictEqual } from "node:util";
import type { EntryInput, StoreResult } from "@membus/agent-client";
import { keyHash, type StoreError } from "@membus/protocol";
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

/** A plan with the position of its new fact in the first store, and the end of the fact that it replaces. */
interface Step {
  readonly plan: Plan;
  readonly id: string;
  readonly creates?: number | undefined;
  readonly end?: EntryInput | undefined;
}

/**
 * Writes new facts, then the ends of the facts that they replace, each at the revision of the decision. A fact
 * ends only after its replacement is stored, so a crash between the two stores leaves both.
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
  const created = await storeAll(view, entries, context);
  const ending = steps.filter((step) => step.end !== undefined && created.error(step.creates) === undefined);
  const ended = await storeAll(
    view,
    ending.map(({ end }) => end!),
    context,
  );
  for (const step of steps) {
    const end = ending.indexOf(step);
    const failedEnd = end === -1 ? undefined : ended.error(end);
    const settled = await outcomeOrRetry(view, step, created.error(step.creates), failedEnd, context);
    if ("outcome" in settled) outcomes.set(step.plan.pending.index, settled);
    else undecided.push(settled);
  }
  for (const { pending, target } of duplicates) {
    if (created.error(repeats.get(target!.id))?.code !== "conflict") continue;
    outcomes.delete(pending.index);
    undecided.push(pending);
  }
  return { outcomes, undecided };
}

async function storeAll(
  view: NamespaceView,
  entries: readonly EntryInput[],
  { meter }: CallContext,
): Promise<Results> {
  if (entries.length === 0) return new Results({ receipts: [], errors: [] });
  const results = new Results(await view.store(entries));
  meter.written(results.writtenCount);
  return results;
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
  return { ...step, creates, end: supersededEntry(target, from, keyHash({ fact: step.id })) };
}

class Results {
  readonly writtenCount: number;
  readonly #errors: ReadonlyMap<number, StoreError>;

  constructor({ receipts, errors }: Pick<StoreResult, "receipts" | "errors">) {
    this.#errors = new Map(errors.map((error) => [error.index, error]));
    this.writtenCount = receipts.filter(({ outcome }) => outcome !== "unchanged").length;
  }

  error(index: number | undefined): StoreError | undefined {
    return index === undefined ? undefined : this.#errors.get(index);
  }
}

async function outcomeOrRetry(
  view: NamespaceView,
  { plan, id, creates }: Step,
  failed: StoreError | undefined,
  failedEnd: StoreError | undefined,
  context: CallContext,
): Promise<RecordOutcome | PendingCandidate> {
  const { pending, candidate, target } = plan;
  if (failed !== undefined && failed.code !== "conflict") {
    return refused(candidate.text, `${failed.code}: ${failed.message}`);
  }
  if (failed !== undefined) return pending;
  if (failedEnd === undefined) return outcomeOf(plan, id);
  // A text merged with the old fact is obsolete. The news itself is not.
  const isMade = candidate.text !== pending.candidate.text;
  if (isMade && creates !== undefined) await deleteFact(view, id, context);
  return isMade || target === undefined ? pending : { ...pending, writtenId: id };
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
