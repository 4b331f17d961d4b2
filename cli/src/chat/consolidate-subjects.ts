import type { ChatModel, LongTermMemory } from "@membus/agentic";
import type { Consolidation } from "@membus/agentic/learner";
import type { UndoneConsolidation } from "@membus/agentic/long-term";

const CONVERSATION = "{conversation}";

/**
 * Consolidates the memories of the configured subject. If the subject contains `{conversation}`, consolidates
 * all existing subjects that match, one after the other.
 */
export async function* consolidateSubjects(
  memory: LongTermMemory,
  model: ChatModel,
  dryRun: boolean,
): AsyncGenerator<Consolidation & { readonly subject: string }> {
  const { consolidate } = await import("@membus/agentic");
  for (const subject of await matchingSubjects(memory)) {
    yield { subject, ...(await consolidate(memory.forSubject(subject), { dryRun }, { model })) };
  }
}

/** Returns the configured subject, or with `{conversation}` in it all existing subjects that match. */
export async function matchingSubjects(memory: LongTermMemory): Promise<string[]> {
  const parts = memory.subject.split(CONVERSATION);
  if (parts.length === 1) return [memory.subject];
  const [first, last] = [parts[0]!, parts.at(-1)!];
  const known = (await memory.listSubjects()).map(({ subject }) => subject);
  return known.filter(
    (subject) =>
      subject.length > first.length + last.length && subject.startsWith(first) && subject.endsWith(last),
  );
}

/** Returns the result for one subject as lines: a summary, then one line per change. */
export function consolidatedText(done: Consolidation & { readonly subject: string }): string {
  const { id, subject, merges, resolved, retained, conflicts, unanswered, queries, questions, isComplete } =
    done;
  const bounds = isComplete ? "" : ", not all facts were examined";
  return [
    `subject ${subject}  ${queries} queries, ${questions} questions${bounds}`,
    ...merges.map(({ text, merged }) => `  merged  ${text}  (stated ${merged.length + 1} times)`),
    ...resolved.map(({ outcome, text, byText }) => `  ${outcome}  ${text}  (by: ${byText})`),
    ...retained.map(({ text, byText, reason }) => `  kept  ${text}  (not replaced by: ${byText}; ${reason})`),
    ...conflicts.map((id) => `  skipped, changed concurrently  ${id}`),
    ...unanswered.map(({ ids, code }) => `  no answer  ${code}  for ${ids.join(", ")}`),
    ...(id === undefined ? [] : [`  undo with: membus learn --undo-consolidation ${id}`]),
  ].join("\n");
}

/** Returns the result of an undone consolidation for one subject as lines. */
export function undoneText({
  subject,
  restored,
  conflicts,
}: Pick<UndoneConsolidation, "restored" | "conflicts"> & { readonly subject: string }): string {
  return [
    `subject ${subject}  ${restored.length} facts restored`,
    ...conflicts.map((id) => `  skipped, changed since  ${id}`),
  ].join("\n");
}
