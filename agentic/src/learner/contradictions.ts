import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import type { LongTermItem, LongTermMemory } from "../long-term/index.js";
import { type ChatModel, type CostMeter, ModelError } from "../model/index.js";
import { decideOnGroup, type FactItem, type Resolution } from "./fact-group.js";
import { isFaultCode } from "./failure-decision.js";

export const ConsolidateOptionsSchema = optionSet({
  /** Whether to report the changes without making them. The model is called anyway. */
  dryRun: option.boolean().default(false),
  /** Minimum score at which a fact is a neighbour of another one. 0.3 means "related in meaning". */
  neighbourScore: option.number(0, 1).default(0.3),
  /** Maximum number of neighbours of a fact. */
  neighbourCountMax: option.integer(1, 20).default(5),
  /** Maximum number of queries, one for each fact, the newest first. */
  queryCountMax: option.integer(1, 100_000).default(1_000),
  /** Maximum number of questions to the model. */
  questionCountMax: option.integer(1, 10_000).default(100),
});

export interface ConsolidateOptions extends OptionsOf<typeof ConsolidateOptionsSchema> {}
export interface ResolvedConsolidateOptions extends ResolvedOptionsOf<typeof ConsolidateOptionsSchema> {}

export interface ContradictionResult {
  /** Replacements, made and rejected, in the order of the questions. */
  readonly resolutions: readonly Resolution[];
  /** Groups for which the model gave no usable answer. */
  readonly unanswered: readonly UnansweredGroup[];
  readonly queries: number;
  readonly questions: number;
  /** False if a limit was reached before all facts were compared. */
  readonly isComplete: boolean;
}

/** Facts for which the model gave no usable answer. They are retained. */
export interface UnansweredGroup {
  readonly ids: readonly string[];
  /** Code of a `ModelError`. */
  readonly code: string;
  readonly reason: string;
}

/** Applies a replacement. @returns false if the fact is retained. */
export type Apply = (resolution: Resolution) => Promise<boolean>;

/**
 * Compares each fact with its nearest neighbours and asks a model how they relate. No two facts are compared
 * twice, and replaced facts are not compared again.
 * @throws {ModelError} for failures that the facts did not cause. @throws {MemoryError} for failures of the
 * host.
 */
export async function resolveContradictions(
  memory: LongTermMemory,
  facts: readonly FactItem[],
  options: ResolvedConsolidateOptions,
  { model, meter, apply }: { readonly model: ChatModel; readonly meter: CostMeter; readonly apply: Apply },
): Promise<ContradictionResult> {
  const groups = new FactGroups(memory, options);
  const resolutions: Resolution[] = [];
  const unanswered: UnansweredGroup[] = [];
  let queries = 0;
  let questions = 0;
  const resultSoFar = (isComplete: boolean) => ({ resolutions, unanswered, queries, questions, isComplete });
  for (const fact of facts) {
    if (groups.isReplaced(fact)) continue;
    if (queries === options.queryCountMax) return resultSoFar(false);
    queries += 1;
    const group = await groups.groupOf(fact);
    if (group.length < 2) continue;
    if (questions === options.questionCountMax) return resultSoFar(false);
    questions += 1;
    try {
      for (const resolution of await decideOnGroup(model, memory.subject, group, meter)) {
        const isDone = resolution.retainedFor === undefined && (await apply(resolution));
        if (isDone) groups.markReplaced(resolution.fact);
        if (isDone || resolution.retainedFor !== undefined) resolutions.push(resolution);
      }
    } catch (error) {
      if (!(error instanceof ModelError) || !isFaultCode(error.code)) throw error;
      unanswered.push({ ids: group.map(({ id }) => id), code: error.code, reason: error.message });
    }
  }
  return resultSoFar(true);
}

class FactGroups {
  readonly #memory: LongTermMemory;
  readonly #options: ResolvedConsolidateOptions;
  readonly #replaced = new Set<string>();
  readonly #comparedPairs = new Set<string>();

  constructor(memory: LongTermMemory, options: ResolvedConsolidateOptions) {
    this.#memory = memory;
    this.#options = options;
  }

  isReplaced({ id }: FactItem): boolean {
    return this.#replaced.has(id);
  }

  markReplaced({ id }: FactItem): void {
    this.#replaced.add(id);
  }

  /** Returns the fact with its neighbours, or only the fact if all these pairs were compared. */
  async groupOf(fact: FactItem): Promise<FactItem[]> {
    const { neighbourScore: minScore, neighbourCountMax } = this.#options;
    // One more, because the fact may find itself.
    const limit = neighbourCountMax + 1;
    const { memories } = await this.#memory.retrieve(fact.text, { kinds: ["fact"], minScore, limit });
    const others = memories
      .filter((item: LongTermItem): item is FactItem => item.kind === "fact" && item.id !== fact.id)
      .filter((item) => !this.isReplaced(item))
      .slice(0, neighbourCountMax);
    const isNew = others.some((other) => !this.#comparedPairs.has(pairOf(fact, other)));
    if (!isNew) return [fact];
    const group = [fact, ...others];
    for (const [n, one] of group.entries()) {
      for (const other of group.slice(n + 1)) this.#comparedPairs.add(pairOf(one, other));
    }
    return group;
  }
}

function pairOf(one: FactItem, other: FactItem): string {
  return one.id < other.id ? `${one.id} ${other.id}` : `${other.id} ${one.id}`;
}
