import { LongTermMemory, openConversation } from "@membus/agentic";
import type { Stage } from "./stage.js";
import type { Transcript } from "./transcript.js";

const SAID = [
  { role: "user", content: "I only drink green tea, and never before ten." },
  { role: "assistant", content: "Green tea, after ten. Noted." },
] as const;
const FACT = "Drinks green tea only, never before ten";

/** What agents do with a memory: keep a conversation and what it says of somebody, and forget both in one go. */
export async function keepConversation({ alice }: Stage, transcript: Transcript): Promise<void> {
  const conversation = await openConversation(alice, { id: "morning" });
  await conversation.add(SAID);
  const told = await conversation.get();
  const words = told.map(({ message }) => message.content).join(" | ");
  transcript.check("alice keeps a conversation", told.length === SAID.length, words);

  const { entries } = await alice
    .inNamespace("conversations")
    .retrieve({ group: "morning", tier: "episodic" });
  const guest = new LongTermMemory(alice, { about: "user:abc123" });
  await guest.record([FACT], { sources: entries.map(({ key_hash }) => key_hash) });
  const recall = await guest.retrieve("what tea does the guest drink?");
  const [fact] = recall.memories;
  transcript.check(
    "and what it says of the guest",
    fact?.text === FACT,
    recall.asText().replaceAll("\n", " "),
  );

  const criteria = { group: "morning", namespace: "conversations", tier: "episodic", cascade: true } as const;
  const { deleted, receipt } = await alice.forget(criteria);
  const left = (await guest.retrieve("green tea")).memories.length;
  const detail = `${deleted} forgotten, ${receipt.cascaded?.join(" and ")} derived from others; ${left} left`;
  transcript.check("the conversation goes, and the fact with it", left === 0 && deleted === 3, detail);
  await guest.close();
}
