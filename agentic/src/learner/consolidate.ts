import { type Clock, isMemoryError, systemClock } from "@membus/protocol";
import { isWeaker, type LongTermMemory, saidWords } from "../long-term/index.js";
import { type ChatModel, type Cost, CostMeter } from "../model/index.js";
import {
  type ConsolidateOptions,
  type ResolvedConsolidateOptions,
  resolveConsolidateOptions,
} from "./consolidate-options.js";
import {
  resolveContradictions,
  type SearchedContradictions,
  type UnansweredGroup,
} from "./contradictions.js";
import type { FactItem, Resolution } from "./fact-group.js";

export interface ConsolidateDependencies {
  /** Says which facts contradict each other. Absent: only what says the same words is merged. */
  readonly model?: ChatModel | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** Facts that say the same words. */
export interface MergedFacts {
  /** Which one stays: the oldest of those whose word counts for most. */
  readonly kept: string;
  readonly text: string;
  /** What it takes the place of. */
  readonly merged: readonly string[];
}

/** A fact that another takes the place of, as the model says. */
export interface ResolvedFact {
  /** "duplicate": the other says all that it says; "superseded": it is true no more. */
  readonly outcome: "duplicate" | "superseded";
  readonly id: string;
  readonly text: string;
  readonly by: string;
  readonly byText: string;
}

/** One that the model would have another take the place of, and that stands. */
export interface StandingFact extends ResolvedFact {
  /** "trust": its word counts for more than the other's; "time": the other is the earlier one. */
  readonly reason: "trust" | "time";
}

export interface Consolidation {
  readonly merges: readonly MergedFacts[];
  readonly resolved: readonly ResolvedFact[];
  readonly standing: readonly StandingFact[];
  /** Facts that somebody else has changed meanwhile, or what was to take their place: they stay as they are. */
  readonly conflicts: readonly string[];
  /** Groups that the model gave no answer about: they stay as they are. */
  readonly unanswered: readonly UnansweredGroup[];
  /** Queries to the host, and questions to the model. */
  readonly queries: number;
  readonly questions: number;
  /** False where `queryCountMax` or `questionCountMax` was reached before every fact was put beside others. */
  readonly isComplete: boolean;
  readonly cost: Cost;
}

/**
 * Puts one in the place of current facts that say the same words in the same order, whatever their case and punctuation.
 * With a model it does the same where one says all that another says, or is true instead of it: facts that answer each
 * other are put before it in groups. The later takes the place of the earlier, and nobody's the place of one whose word
 * counts for more. The others keep their text, with `valid_until` and `superseded_by`: `asOf` and their history have them.
 * Reads all facts but those in quarantine; each is changed at the revision that was read.
 * @throws {ModelError} for what is not the facts' fault: of what was asked by then everything is done.
 * @throws {MemoryError} for what the host reports; what is changed by then stays so.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export async function consolidate(
  memory: LongTermMemory,
  options: ConsolidateOptions = {},
  { model, clock = systemClock }: ConsolidateDependencies = {},
): Promise<Consolidation> {
  const resolved = resolveConsolidateOptions(options);
  const places = new Places(memory, resolved, new CostMeter(clock));
  const facts = await currentFacts(memory);
  const merges: MergedFacts[] = [];
  for (const [kept, ...others] of sameFacts(facts)) {
    const merged: string[] = [];
    for (const other of others) if (await places.take(other, kept!)) merged.push(other.id);
    if (merged.length > 0) merges.push({ kept: kept!.id, text: kept!.text, merged });
  }
  const gone = new Set(merges.flatMap(({ merged }) => merged));
  const left = facts.filter(({ id }) => !gone.has(id));
  const searched = model === undefined ? NOTHING : await places.resolve(left, model);
  return {
    merges,
    ...told(searched),
    conflicts: places.conflicts,
    cost: places.meter.cost,
  };
}

const NOTHING: SearchedContradictions = {
  resolutions: [],
  unanswered: [],
  queries: 0,
  questions: 0,
  isComplete: true,
};

/** Newest first. */
async function currentFacts(memory: LongTermMemory): Promise<FactItem[]> {
  const facts: FactItem[] = [];
  for await (const item of memory.entries({ kinds: ["fact"] })) if (item.kind === "fact") facts.push(item);
  return facts;
}

/** Of each that is said more than once, all facts, the one that stays first. */
function sameFacts(facts: readonly FactItem[]): FactItem[][] {
  const said = new Map<string, FactItem[]>();
  for (const item of facts) {
    const words = saidWords(item.text);
    if (words !== "") said.set(words, [...(said.get(words) ?? []), item]);
  }
  const trustOf = ({ record }: FactItem) => record.metadata.trust;
  const byTrust = (a: FactItem, b: FactItem) =>
    Number(isWeaker(trustOf(a), trustOf(b))) - Number(isWeaker(trustOf(b), trustOf(a)));
  return [...said.values()]
    .filter(({ length }) => length > 1)
    .map((same) => same.sort((a, b) => byTrust(a, b) || a.created - b.created));
}

/** Facts that take the place of others, each at the revision that was read; only noted where nothing is to be changed. */
class Places {
  readonly meter: CostMeter;
  readonly conflicts: string[] = [];
  readonly #memory: LongTermMemory;
  readonly #options: ResolvedConsolidateOptions;

  constructor(memory: LongTermMemory, options: ResolvedConsolidateOptions, meter: CostMeter) {
    this.#memory = memory;
    this.#options = options;
    this.meter = meter;
  }

  /** @returns false where somebody else has changed one of the two. */
  async take(fact: FactItem, by: FactItem): Promise<boolean> {
    if (this.#options.dryRun) return true;
    try {
      const replacedBy = { id: by.id, ifRevision: by.revision };
      const { cost } = await this.#memory.update(fact.id, { replacedBy, ifRevision: fact.revision });
      this.meter.written(cost.entriesWritten);
      return true;
    } catch (error) {
      if (!isMemoryError(error) || !["conflict", "memory_not_found"].includes(error.code)) throw error;
      this.conflicts.push(fact.id);
      return false;
    }
  }

  resolve(facts: readonly FactItem[], model: ChatModel): Promise<SearchedContradictions> {
    const apply = ({ fact, by }: Resolution) => this.take(fact, by);
    return resolveContradictions(this.#memory, facts, this.#options, { model, meter: this.meter, apply });
  }
}

function told({ resolutions, ...searched }: SearchedContradictions) {
  const resolved = resolutions.filter(({ stays }) => stays === undefined).map(resolvedFact);
  const standing = resolutions.flatMap((one) =>
    one.stays === undefined ? [] : { ...resolvedFact(one), reason: one.stays },
  );
  return { ...searched, resolved, standing };
}

function resolvedFact({ outcome, fact, by }: Resolution): ResolvedFact {
  return { outcome, id: fact.id, text: fact.text, by: by.id, byText: by.text };
}
