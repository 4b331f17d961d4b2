import type { ForgetRequest } from "@membus/agent-client";
import type { RemoteAgent } from "../remote-agent.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";
import { turnsOf } from "../turn-entry.js";
import { WORKING_TAG } from "./use-working-memory.js";

const PRIVATE_TAG = "private";

/** The baker asked for some of what she had said not to be kept. */
export async function forget({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  const turns = turnsOf(alice.name);
  const secrets = turns.filter(({ tags }) => tags.includes(PRIVATE_TAG));
  const criteria: ForgetRequest = { tags: [PRIVATE_TAG], tier: "episodic" };
  const counted = await alice.ask("forget", { ...criteria, dry_run: true });
  transcript.check(
    "alice counts the turns that the baker wants forgotten",
    counted.deleted === secrets.length,
    `${counted.deleted}, of which nothing is deleted yet`,
  );
  const forgotten = await alice.ask("forget", criteria);
  const again = await alice.ask("forget", criteria);
  transcript.check(
    "she forgets them, by their tag",
    forgotten.deleted === secrets.length && again.deleted === 0,
    `${forgotten.deleted} deleted; the second time ${again.deleted}`,
  );
  await checkNothingIsLeft(alice, "no question finds them any more", transcript);
  const { total } = await alice.ask("retrieve", { tier: "episodic", limit: 0 });
  transcript.check(
    "everything else is still there",
    total === turns.length - secrets.length,
    `${total} of ${turns.length} turns`,
  );
  await forgetNotes(alice, bob, transcript);
}

/** Looks for the private turns by tag and in their own words. */
export async function checkNothingIsLeft(
  alice: RemoteAgent,
  step: string,
  transcript: Transcript,
): Promise<void> {
  const secrets = turnsOf(alice.name).filter(({ tags }) => tags.includes(PRIVATE_TAG));
  const byTag = await alice.ask("retrieve", { tags: [PRIVATE_TAG], limit: 0 });
  const texts = new Set(secrets.map(({ text }) => text));
  let found = 0;
  for (const { text: query } of secrets) {
    const { entries } = await alice.ask("retrieve", { query });
    found += entries.filter(({ content }) => texts.has((content as { text?: string }).text ?? "")).length;
  }
  const detail = `${byTag.total} by tag, ${found} by ${secrets.length} questions in their own words`;
  transcript.check(step, byTag.total === 0 && found === 0, detail);
}

async function forgetNotes(alice: RemoteAgent, bob: RemoteAgent, transcript: Transcript): Promise<void> {
  const criteria: ForgetRequest = { tags: [WORKING_TAG], tier: "working" };
  const { total } = await alice.ask("retrieve", { ...criteria, limit: 0 });
  const [bobs, alices] = [await bob.ask("forget", criteria), await alice.ask("forget", criteria)];
  transcript.check(
    "the notes of the day go, too, each agent's own",
    bobs.deleted === 0 && alices.deleted === total && total > 0,
    `bob deleted ${bobs.deleted}, alice ${alices.deleted} of ${total}`,
  );
}
