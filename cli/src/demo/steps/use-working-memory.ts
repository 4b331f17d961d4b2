import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

export const WORKING_TAG = "today";

const NOTES = {
  current_task: "print the posters with the new date",
  next_call: "the market office, about the stall near the fountain",
  mood: "the baker has been up since four",
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
  const query = "whom do I call about the stall near the fountain?";
  const { entries, total, degraded } = await alice.ask("retrieve", { query, limit: 5 });
  const tiers = [...new Set(entries.map(({ tier }) => tier))].sort();
  transcript.check(
    "a question without a tier searches all of them",
    tiers.join() === "episodic,working" && degraded === undefined,
    `the best ${entries.length} of ${total} are ${tiers.join(" and ")} entries`,
  );
}
