import { LongTermMemory, openConversation } from "@membus/agentic";
import type { Stage } from "./stage.js";
import type { Transcript } from "./transcript.js";

const MESSAGES = [
  { role: "user", content: "I only drink green tea, and never before ten." },
  { role: "assistant", content: "Green tea, after ten. Noted." },
] as const;
const FACT = "Drinks green tea only, never before ten";

/**
 * Uses agent memory: stores a conversation and a fact learned from it, then forgets both with one request.
 */
export async function keepConversation({ alice }: Stage, transcript: Transcript): Promise<void> {
  const conversation = await openConversation(alice, { id: "morning" });
  await conversation.add(MESSAGES);
  const stored = await conversation.get();
  const words = stored.map(({ message }) => message.content).join(" | ");
  transcript.check("alice stores a conversation", stored.length === MESSAGES.length, words);

  const { entries } = await alice
    .inNamespace("conversations")
    .retrieve({ group: "morning", tier: "episodic" });
  const guest = new LongTermMemory(alice, { subject: "user:abc123" });
  await guest.record([FACT], { sources: entries.map(({ key_hash }) => key_hash) });
  const recall = await guest.retrieve("what tea does the guest drink?");
  const [fact] = recall.memories;
  transcript.check(
    "a fact about the guest is stored and found",
    fact?.text === FACT,
    recall.asText().replaceAll("\n", " "),
  );

  const criteria = { group: "morning", namespace: "conversations", tier: "episodic", cascade: true } as const;
  const { deleted, receipt } = await alice.forget(criteria);
  const left = (await guest.retrieve("green tea")).memories.length;
  const detail = `${deleted} forgotten, ${receipt.cascaded?.join(" and ")} derived; ${left} left`;
  transcript.check("forgetting the conversation also forgets the fact", left === 0 && deleted === 3, detail);
  await guest.close();
}
