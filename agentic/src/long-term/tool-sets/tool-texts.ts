import type { LongTermMemory } from "../long-term-memory.js";
import type { RecordOutcome } from "../outcome.js";
import type { LongTermItem } from "../recall/memory.js";
import { lineOf, type RecallOptions } from "../recall/recall.js";
import { recalledText } from "../recall/recalled-text.js";

/** Describes outcomes for a model. */
export function outcomesText(outcomes: readonly RecordOutcome[], guidelines: readonly string[] = []): string {
  const refused = outcomes.flatMap(({ outcome, reason }, n) =>
    outcome === "refused" ? [`Item ${n + 1} was not recorded: ${reason}`] : [],
  );
  const counts = new Map<string, number>();
  for (const { outcome } of outcomes)
    if (outcome !== "refused") counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const kept = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  const done = kept === "" ? "Nothing was recorded." : `Recorded: ${kept}.`;
  const written = guidelines.length === 0 ? [] : [`Guidelines written for: ${guidelines.join(", ")}.`];
  return [done, ...written, ...refused].join("\n");
}

/** Searches all keywords concurrently and merges the results, best first, without duplicates. */
export async function retrieveForEach(
  memory: LongTermMemory,
  keywords: readonly string[],
  options: RecallOptions,
): Promise<string> {
  const recalls = await Promise.all(keywords.map((keyword) => memory.retrieve(keyword, options)));
  const best = new Map<string, LongTermItem>();
  for (const item of recalls.flatMap(({ memories }) => memories)) {
    const before = best.get(item.keyHash);
    if (before === undefined || before.score < item.score) best.set(item.keyHash, item);
  }
  const items = [...best.values()].sort((a, b) => b.score - a.score);
  return recalledText(items.map(lineOf)) || "No memories were found.";
}
