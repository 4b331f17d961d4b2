import { randomUUID } from "node:crypto";
import { type Clock, isMemoryError, parseOptions, systemClock } from "@membus/protocol";
import { isLowerTrust, type LongTermMemory, normalizedWords } from "../long-term/index.js";
import { type ChatModel, type Cost, CostMeter } from "../model/index.js";
import {
  type ConsolidateOptions,
  ConsolidateOptionsSchema,
  type ContradictionResult,
  type ResolvedConsolidateOptions,
  resolveContradictions,
  type UnansweredGroup,
} from "./contradictions.js";
import type { FactItem, Resolution } from "./fact-group.js";

export interface ConsolidateDependencies {
  /** Model that finds contradictions. Absent: only facts with the same words are merged. */
  readonly model?: ChatModel | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** Facts with the same words. */
export interface MergedFacts {
  /** Id of the fact that stays: the oldest of those with the highest trust. */
  readonly kept: string;
  readonly text: string;
  /** Ids of the facts that it replaces. */
  readonly merged: readonly string[];
}

/** A fact that the model replaces by another one. */
export interface ResolvedFact {
  /** "duplicate": the other fact contains it. "superseded": it is no longer true. */
  readonly outcome: "duplicate" | "superseded";
  readonly id: string;
  readonly text: string;
  readonly by: string;
  readonly byText: string;
}

/** A fact that the model proposed to replace, but that was retained. */
export interface RetainedFact extends ResolvedFact {
  /** "trust": the replacement has lower trust. "time": the replacement is the older fact. */
  readonly reason: "trust" | "time";
}

export interface Consolidation {
  /** Id for `LongTermMemory.undoConsolidation`. Absent if nothing was changed. */
  readonly id?: string | undefined;
  readonly merges: readonly MergedFacts[];
  readonly resolved: readonly ResolvedFact[];
  readonly retained: readonly RetainedFact[];
  /** Ids of facts that were retained, because they or their replacement changed concurrently. */
  readonly conflicts: readonly string[];
  /** Groups for which the model gave no usable answer. Their facts are retained. */
  readonly unanswered: readonly UnansweredGroup[];
  /** Number of queries to the host, and of questions to the model. */
  readonly queries: number;
  readonly questions: number;
  /** False if `queryCountMax` or `questionCountMax` was reached before every fact was compared. */
  readonly isComplete: boolean;
  readonly cost: Cost;
}

/**
 * Merges current facts with the same words in the same order, ignoring case and punctuation. With a model, it
 * also compares groups of similar facts, and replaces facts that another one contains or contradicts. The
 * later fact replaces the earlier one. No fact is replaced by one with lower trust. Replaced facts keep their
 * text and get `valid_until` and `superseded_by`, so `asOf` and their history return them, and
 * `undoConsolidation` makes them current again. The remaining fact is verified before a fact is replaced. All
 * facts except those in quarantine are read, and each is changed at the revision that was read.
 * @throws {ModelError} for failures that the facts did not cause. Changes up to then are kept.
 * @throws {MemoryError} for failures of the host. Changes up to then are kept.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export async function consolidate(
  memory: LongTermMemory,
  options: ConsolidateOptions = {},
  { model, clock = systemClock }: ConsolidateDependencies = {},
): Promise<Consolidation> {
  const resolved = parseOptions(ConsolidateOptionsSchema, options);
  const replacer = new FactReplacer(memory, resolved, new CostMeter(clock));
  const facts = await currentFacts(memory);
  const merges: MergedFacts[] = [];
  for (const [kept, ...others] of groupsOfSameWords(facts)) {
    const merged: string[] = [];
    for (const other of others) if (await replacer.replace(other, kept!)) merged.push(other.id);
    if (merged.length > 0) merges.push({ kept: kept!.id, text: kept!.text, merged });
  }
  const replacedIds = new Set(merges.flatMap(({ merged }) => merged));
  const left = facts.filter(({ id }) => !replacedIds.has(id));
  const contradictions = model === undefined ? NO_CONTRADICTIONS : await replacer.resolve(left, model);
  return {
    ...(replacer.changeCount > 0 && { id: replacer.id }),
    merges,
    ...toReport(contradictions),
    conflicts: replacer.conflicts,
    cost: replacer.meter.cost,
  };
}

const NO_CONTRADICTIONS: ContradictionResult = {
  resolutions: [],
  unanswered: [],
  queries: 0,
  questions: 0,
  isComplete: true,
};

/** Returns the current facts, newest first. */
async function currentFacts(memory: LongTermMemory): Promise<FactItem[]> {
  const facts: FactItem[] = [];
  for await (const item of memory.entries({ kinds: ["fact"] })) if (item.kind === "fact") facts.push(item);
  return facts;
}

/** Groups facts with the same words. The fact to keep is the first of its group. */
function groupsOfSameWords(facts: readonly FactItem[]): FactItem[][] {
  const byWords = new Map<string, FactItem[]>();
  for (const item of facts) {
    const words = normalizedWords(item.text);
    if (words !== "") byWords.set(words, [...(byWords.get(words) ?? []), item]);
  }
  const trustOf = ({ record }: FactItem) => record.metadata.trust;
  const byTrust = (a: FactItem, b: FactItem) =>
    Number(isLowerTrust(trustOf(a), trustOf(b))) - Number(isLowerTrust(trustOf(b), trustOf(a)));
  return [...byWords.values()]
    .filter(({ length }) => length > 1)
    .map((same) => same.sort((a, b) => byTrust(a, b) || a.created - b.created));
}

/** Replaces facts by others, each at the revision that was read. With `dryRun` it changes nothing. */
class FactReplacer {
  readonly id = randomUUID();
  readonly meter: CostMeter;
  readonly conflicts: string[] = [];
  changeCount = 0;
  readonly #memory: LongTermMemory;
  readonly #options: ResolvedConsolidateOptions;

  constructor(memory: LongTermMemory, options: ResolvedConsolidateOptions, meter: CostMeter) {
    this.#memory = memory;
    this.#options = options;
    this.meter = meter;
  }

  /** @returns false if one of the two facts changed concurrently. */
  async replace(fact: FactItem, by: FactItem): Promise<boolean> {
    if (this.#options.dryRun) return true;
    try {
      const replacedBy = { id: by.id, ifRevision: by.revision, consolidation: this.id };
      const { cost } = await this.#memory.update(fact.id, { replacedBy, ifRevision: fact.revision });
      this.meter.written(cost.entriesWritten);
      this.changeCount += 1;
      return true;
    } catch (error) {
      if (!isMemoryError(error) || !["conflict", "memory_not_found"].includes(error.code)) throw error;
      this.conflicts.push(fact.id);
      return false;
    }
  }

  resolve(facts: readonly FactItem[], model: ChatModel): Promise<ContradictionResult> {
    const apply = ({ fact, by }: Resolution) => this.replace(fact, by);
    return resolveContradictions(this.#memory, facts, this.#options, { model, meter: this.meter, apply });
  }
}

function toReport({ resolutions, ...contradictions }: ContradictionResult) {
  const resolved = resolutions.filter(({ retainedFor }) => retainedFor === undefined).map(resolvedFact);
  const retained = resolutions.flatMap((one) =>
    one.retainedFor === undefined ? [] : { ...resolvedFact(one), reason: one.retainedFor },
  );
  return { ...contradictions, resolved, retained };
}

function resolvedFact({ outcome, fact, by }: Resolution): ResolvedFact {
  return { outcome, id: fact.id, text: fact.text, by: by.id, byText: by.text };
}
