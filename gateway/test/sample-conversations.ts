import type { AgentMemory } from "@membus/agent-client";
import {
  type ChatMessage,
  ContextWindow,
  KnowledgeGraph,
  LongTermMemory,
  messageSources,
  openConversation,
} from "@membus/agentic";

/** Result of a tool, long enough to be offloaded. */
export const TIMETABLE = `Trains to Rome: ${"06:15 07:15 08:15 ".repeat(100)}`;

const MESSAGES: readonly (readonly [string, ChatMessage])[] = [
  ["m1", { role: "user", content: "I live in Rome and like trains." }],
  [
    "m2",
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call-1", name: "timetable", arguments: '{"to":"Rome"}' }],
    },
  ],
  ["m3", { role: "tool", content: TIMETABLE, tool_call_id: "call-1", name: "timetable" }],
  ["m4", { role: "assistant", content: "The next train leaves at 06:15." }],
  ["m5", { role: "user", content: "Thanks. Which river flows there?" }],
  ["m6", { role: "assistant", content: "The Tiber." }],
];

/**
 * Stores two conversations as agents do. One has a summary of its first four messages and an offloaded
 * result. A fact and triples were learned from messages, and other triples have no source.
 */
export async function tellTalk(memory: AgentMemory): Promise<void> {
  const talk = await openConversation(memory, { id: "trip" });
  await talk.add(MESSAGES.map(([id, message]) => ({ id, message })));
  await takeOutResults(talk);
  const turns = await talk.get();
  await talk.setSummary({
    text: "They talked about trains to Rome.",
    keyFacts: ["The user lives in Rome"],
    openThreads: ["Which train?"],
    covers: { from: turns[0]!.seq, to: turns[3]!.seq },
  });
  await learn(memory);
  const other = await openConversation(memory, { id: "weather" });
  await other.add({ id: "w1", message: { role: "user", content: "Will it rain?" } });
}

async function takeOutResults(talk: Awaited<ReturnType<typeof openConversation>>): Promise<void> {
  const options = { thresholdTokens: 500, offloadTokensMin: 100, processors: ["offload" as const] };
  const window = new ContextWindow(talk, options, { tokenCounter: (text) => text.length });
  await window.messages();
}

async function learn(memory: AgentMemory): Promise<void> {
  const longTerm = new LongTermMemory(memory, { subject: "user:abc123" });
  await longTerm.record("lives in Rome", { infer: false, sources: messageSources("trip", ["m1"]) });
  await longTerm.close();
  const graph = new KnowledgeGraph(memory);
  await graph.add([
    {
      subject: "Tiber",
      predicate: "flows through",
      object: "Rome",
      evidence: "The Tiber.",
      sources: messageSources("trip", ["m5", "m6"]),
    },
    { subject: "Rome", predicate: "capital of", object: "Italy" },
    { subject: "Italy", predicate: "part of", object: "Europe" },
    { subject: "Rome", predicate: "entity type", object: "city" },
  ]);
}
