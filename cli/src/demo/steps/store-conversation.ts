import { systemClock } from "@membus/protocol";
import type { RemoteAgent } from "../remote-agent.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";
import { turnsOf } from "../turn-entry.js";

/** Both agents store their talks at the same time, one request a talk. */
export async function storeConversation({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  await Promise.all([alice, bob].map((agent) => storeTalksOf(agent, transcript)));
}

async function storeTalksOf(agent: RemoteAgent, transcript: Transcript): Promise<void> {
  const turns = turnsOf(agent.name);
  const startedAt = systemClock.now();
  const { sent, receipts, refusals } = await agent.ask("storeTalks");
  const tookMs = Math.round((systemClock.now() - startedAt) * 1000);
  const created = receipts.filter(({ outcome }) => outcome === "created").length;
  const talks = new Set(turns.map(({ topic }) => topic)).size;
  transcript.check(
    `${agent.name} stores the turns of ${talks} talks with the baker`,
    sent === turns.length && created === turns.length && refusals.length === 0,
    `${sent} sent, ${created} acknowledged in ${tookMs} ms`,
  );
  const { total } = await agent.ask("retrieve", { tier: "episodic", limit: 0 });
  transcript.check(
    `${agent.name}'s episodic memory holds them all`,
    total === turns.length,
    `${total} turns`,
  );
}
