import type { ChatModel, Consolidation, LongTermMemory } from "@membus/agentic";

const CONVERSATION = "{conversation}";

/** Consolidates what `about` names, one after the other: where conversations stand in it, what there are memories about. */
export async function* consolidateAbouts(
  memory: LongTermMemory,
  model: ChatModel,
  dryRun: boolean,
): AsyncGenerator<Consolidation & { readonly about: string }> {
  const { consolidate } = await import("@membus/agentic");
  for (const about of await aboutsOf(memory)) {
    yield { about, ...(await consolidate(memory.withAbout(about), { dryRun }, { model })) };
  }
}

async function aboutsOf(memory: LongTermMemory): Promise<string[]> {
  const parts = memory.about.split(CONVERSATION);
  if (parts.length === 1) return [memory.about];
  const [first, last] = [parts[0]!, parts.at(-1)!];
  const known = (await memory.abouts()).map(({ about }) => about);
  return known.filter(
    (about) => about.length > first.length + last.length && about.startsWith(first) && about.endsWith(last),
  );
}

/** What was done about whom, as lines; with nothing to do the first alone. */
export function consolidatedText(done: Consolidation & { readonly about: string }): string {
  const { about, merges, resolved, standing, conflicts, unanswered, queries, questions, isComplete } = done;
  const bounds = isComplete ? "" : ", not all facts were looked at";
  return [
    `about ${about}  ${queries} queries, ${questions} questions${bounds}`,
    ...merges.map(({ text, merged }) => `  merged  ${text}  (said ${merged.length + 1} times)`),
    ...resolved.map(({ outcome, text, byText }) => `  ${outcome}  ${text}  (by: ${byText})`),
    ...standing.map(({ text, byText, reason }) => `  stands  ${text}  (not by: ${byText}; ${reason})`),
    ...conflicts.map((id) => `  changed meanwhile  ${id}`),
    ...unanswered.map(({ ids, code }) => `  no answer  ${code}  about ${ids.join(", ")}`),
  ].join("\n");
}
