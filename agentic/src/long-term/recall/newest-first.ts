import { isComparable, normalizedWords } from "../facts/fact.js";
import type { LongTermItem } from "./memory.js";

/** Fraction of the words of the shorter fact that two facts of the same kind share, and their number. */
const SHARED_FRACTION = 0.5;
const SHARED_COUNT = 2;

/**
 * Returns the memories in their order, but facts of the same kind together, the newest first: "my manager is
 * Ben" before an older "my manager is Ada". Such facts have the same speaker and more than half of the words
 * in common.
 */
export function newestFirst(memories: readonly LongTermItem[]): LongTermItem[] {
  const groups: LongTermItem[][] = [];
  for (const item of memories) {
    const group = groups.find(([first]) => isSameKind(first!, item));
    if (group === undefined) groups.push([item]);
    else group.push(item);
  }
  return groups.flatMap((group) => group.toSorted((a, b) => b.occurredAt - a.occurredAt));
}

function isSameKind(one: LongTermItem, other: LongTermItem): boolean {
  if (one.kind !== "fact" || other.kind !== "fact") return false;
  if (!isComparable(statementOf(one), statementOf(other))) return false;
  const words = new Set(normalizedWords(one.text).split(" "));
  const otherWords = new Set(normalizedWords(other.text).split(" "));
  const sharedCount = [...words].filter((word) => otherWords.has(word)).length;
  return sharedCount >= SHARED_COUNT && sharedCount > SHARED_FRACTION * Math.min(words.size, otherWords.size);
}

function statementOf({ text, record }: LongTermItem) {
  const { speaker } = record.metadata as { readonly speaker?: unknown };
  return { text, speaker: typeof speaker === "string" ? speaker : undefined };
}
