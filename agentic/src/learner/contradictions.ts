import type { LongTermItem, LongTermMemory } from "../long-term/index.js";
import { type ChatModel, type CostMeter, ModelError } from "../model/index.js";
import type { ResolvedConsolidateOptions } from "./consolidate-options.js";
import { askAboutGroup, type FactItem, type Resolution } from "./fact-group.js";
import { isFaultCode } from "./judge.js";

export interface SearchedContradictions {
  /** What was done, and what was not to be, in the order in which the model was asked. */
  readonly resolutions: readonly Resolution[];
  /** Groups that the model gave no answer about. */
  readonly unanswered: readonly UnansweredGroup[];
  readonly queries: number;
  readonly questions: number;
  /** False where a bound was reached before all facts were looked at. */
  readonly isComplete: boolean;
}

/** Facts about which the model gave no answer: they stand. */
export interface UnansweredGroup {
  readonly ids: readonly string[];
  /** The code of a `ModelError`. */
  readonly code: string;
  readonly reason: string;
}

/** Does what the model says about a fact, or only notes it. @returns false where the fact stays. */
export type Apply = (resolution: Resolution) => Promise<boolean>;

/**
 * Puts each fact beside those that answer it best and has a model say how they stand to each other. No two facts are asked
 * about twice, and none after it has gone.
 * @throws {ModelError} for what is not the facts' fault. @throws {MemoryError} for what the host reports.
 */
export async function resolveContradictions(
  memory: LongTermMemory,
  facts: readonly FactItem[],
  options: ResolvedConsolidateOptions,
  { model, meter, apply }: { readonly model: ChatModel; readonly meter: CostMeter; readonly apply: Apply },
): Promise<SearchedContradictions> {
  const groups = new FactGroups(memory, options);
  const resolutions: Resolution[] = [];
  const unanswered: UnansweredGroup[] = [];
  let queries = 0;
  let questions = 0;
  const told = (isComplete: boolean) => ({ resolutions, unanswered, queries, questions, isComplete });
  for (const fact of facts) {
    if (groups.isGone(fact)) continue;
    if (queries === options.queryCountMax) return told(false);
    queries += 1;
    const group = await groups.around(fact);
    if (group.length < 2) continue;
    if (questions === options.questionCountMax) return told(false);
    questions += 1;
    try {
      for (const resolution of await askAboutGroup(model, memory.about, group, meter)) {
        const isDone = resolution.stays === undefined && (await apply(resolution));
        if (isDone) groups.remove(resolution.fact);
        if (isDone || resolution.stays !== undefined) resolutions.push(resolution);
      }
    } catch (error) {
      if (!(error instanceof ModelError) || !isFaultCode(error.code)) throw error;
      unanswered.push({ ids: group.map(({ id }) => id), code: error.code, reason: error.message });
    }
  }
  return told(true);
}

class FactGroups {
  readonly #memory: LongTermMemory;
  readonly #options: ResolvedConsolidateOptions;
  readonly #gone = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(memory: LongTermMemory, options: ResolvedConsolidateOptions) {
    this.#memory = memory;
    this.#options = options;
  }

  isGone({ id }: FactItem): boolean {
    return this.#gone.has(id);
  }

  remove({ id }: FactItem): void {
    this.#gone.add(id);
  }

  /** The fact with those that are like it; alone where each of them was asked about with it. */
  async around(fact: FactItem): Promise<FactItem[]> {
    const { neighbourScore: minScore, neighbourCountMax } = this.#options;
    // One more: it may find itself.
    const limit = neighbourCountMax + 1;
    const { memories } = await this.#memory.retrieve(fact.text, { kinds: ["fact"], minScore, limit });
    const others = memories
      .filter((item: LongTermItem): item is FactItem => item.kind === "fact" && item.id !== fact.id)
      .filter((item) => !this.isGone(item))
      .slice(0, neighbourCountMax);
    const isNew = others.some((other) => !this.#asked.has(pairOf(fact, other)));
    if (!isNew) return [fact];
    const group = [fact, ...others];
    for (const [n, one] of group.entries()) {
      for (const other of group.slice(n + 1)) this.#asked.add(pairOf(one, other));
    }
    return group;
  }
}

function pairOf(one: FactItem, other: FactItem): string {
  return one.id < other.id ? `${one.id} ${other.id}` : `${other.id} ${one.id}`;
}
