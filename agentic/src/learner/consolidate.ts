import { booleanOption, isMemoryError, resolveOptions } from "@membus/protocol";
import { type LongTermItem, type LongTermMemory, saidWords } from "../long-term/index.js";

export interface ConsolidateOptions {
  /**
   * Tells what would be merged, and changes nothing.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
}

/** Facts that say the same words. */
export interface MergedFacts {
  /** Which one stays: the oldest of those that are the user's word, else the oldest. */
  readonly kept: string;
  readonly text: string;
  /** What it takes the place of. */
  readonly merged: readonly string[];
}

export interface Consolidation {
  readonly merges: readonly MergedFacts[];
  /** Facts that somebody else has changed meanwhile: they stay as they are. */
  readonly conflicts: readonly string[];
}

/**
 * Puts one in the place of current facts that say the same words in the same order, whatever their case and punctuation:
 * what long-term memory takes for duplicates without asking a model. The others stay in its history. Reads all facts.
 * @throws {MemoryError} for what the host reports; what is merged by then stays so.
 */
export async function consolidate(
  memory: LongTermMemory,
  options: ConsolidateOptions = {},
): Promise<Consolidation> {
  const { dryRun } = resolveOptions<{ dryRun: boolean }>(
    options,
    { dryRun: false },
    { dryRun: booleanOption },
  );
  const merges: MergedFacts[] = [];
  const conflicts: string[] = [];
  for (const [kept, ...others] of await sameFacts(memory)) {
    const merged: string[] = [];
    for (const other of others) {
      const isMerged = dryRun || (await takePlace(memory, kept!, other));
      (isMerged ? merged : conflicts).push(other.id);
    }
    if (merged.length > 0) merges.push({ kept: kept!.id, text: kept!.text, merged });
  }
  return { merges, conflicts };
}

/** Of each that is said more than once, all facts, the one that stays first. */
async function sameFacts(memory: LongTermMemory): Promise<LongTermItem[][]> {
  const said = new Map<string, LongTermItem[]>();
  for await (const item of memory.entries({ kinds: ["fact"] })) {
    const words = saidWords(item.text);
    if (words !== "") said.set(words, [...(said.get(words) ?? []), item]);
  }
  const isUsers = ({ record }: LongTermItem) => record.metadata.trust === "user";
  return [...said.values()]
    .filter(({ length }) => length > 1)
    .map((facts) => facts.sort((a, b) => Number(isUsers(b)) - Number(isUsers(a)) || a.created - b.created));
}

async function takePlace(memory: LongTermMemory, kept: LongTermItem, other: LongTermItem): Promise<boolean> {
  try {
    await memory.update(other.id, { text: kept.text, ifRevision: other.revision });
    return true;
  } catch (error) {
    if (isMemoryError(error) && (error.code === "conflict" || error.code === "memory_not_found"))
      return false;
    throw error;
  }
}
