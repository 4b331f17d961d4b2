import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

export const WORKING_TAG = "today";

const NOTES = {
  current_task: "print the posters with the new date",
  next_call: "the market office, about the stall near the fountain",
  mood: "Mara has been up since four",
};

/** Short notes under names, as an agent makes them while it works. */
export async function useWorkingMemory({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  for (const [name, note] of Object.entries(NOTES)) {
    await alice.ask("remember", name, note, { tags: [WORKING_TAG] });
  }
  const task = await alice.ask("recall", "current_task");
  transcript.check(
    `alice remembers ${Object.keys(NOTES).length} notes and recalls one by its name`,
    task === NOTES.current_task,
    `current_task is ${JSON.stringify(task)}`,
  );
  const bobs = await bob.ask("recall", "current_task");
  transcript.check("bob has a working memory of his own", bobs === null, `his current_task is ${bobs}`);
  const found = await alice.ask("retrieve", {
    query: "whom do we have to phone about the market?",
    limit: 1,
  });
  const [best] = found.entries;
  transcript.check(
    "a question without a tier searches all of them",
    best?.tier === "working" && found.degraded === undefined,
    `${found.total} found, first in the ${best?.tier} tier: ${JSON.stringify(best?.content)}`,
  );
}
