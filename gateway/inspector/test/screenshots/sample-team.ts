import type { AgentMemory } from "@membus/agent-client";
import {
  Blocks,
  KnowledgeGraph,
  LongTermMemory,
  MemoryFiles,
  messageSources,
  openConversation,
  withBudget,
} from "@membus/agentic";
import { type Clock, systemClock } from "@membus/protocol";

const HOUR_S = 3_600;
const NOTES = 36;

/** Lines of a chat: what the user says, and the answer. */
type Turn = readonly [string, string];

const CHATS: Readonly<Record<string, readonly Turn[]>> = {
  "user:ada": [
    ["I live in Lisbon and drink tea, never coffee.", "Noted. Lisbon has fine tea houses."],
    [
      "Book a train to Porto on Friday morning.",
      "The 08:39 arrives at 11:27. Shall I reserve a window seat?",
    ],
    ["Yes, and remind me to call Grace.", "Reserved, and the reminder is set for Friday at 12:00."],
  ],
  "user:ada/travel": [["Which museums in Porto open on Monday?", "Serralves opens at 10:00."]],
  "user:grace": [
    ["I am allergic to peanuts.", "I will leave peanuts out of every recipe."],
    ["Plan dinner for four.", "Roast vegetables with couscous, then lemon cake."],
  ],
};

/** Facts about a user, with the turn of the chat in which the user said it. */
const FACTS: Readonly<Record<string, readonly (readonly [string, number?])[]>> = {
  "user:ada": [
    ["likes window seats"],
    ["lives in Lisbon", 0],
    ["drinks tea, never coffee", 0],
    ["prefers morning trains", 1],
    ["calls Grace on Fridays", 2],
  ],
  "user:grace": [["works night shifts in June"], ["is allergic to peanuts", 0], ["cooks for four", 1]],
};

const TRIPLES: readonly (readonly [string, string, string])[] = [
  ["Ada", "lives in", "Lisbon"],
  ["Ada", "friend of", "Grace"],
  ["Ada", "travels to", "Porto"],
  ["Grace", "lives in", "Porto"],
  ["Grace", "works at", "São João Hospital"],
  ["São João Hospital", "located in", "Porto"],
  ["Lisbon", "capital of", "Portugal"],
  ["Porto", "part of", "Portugal"],
  ["Portugal", "member of", "European Union"],
  ["Douro", "flows through", "Porto"],
  ["Tagus", "flows through", "Lisbon"],
  ["Serralves", "located in", "Porto"],
  ["Serralves", "kind of", "museum"],
];

/** A clock that begins a week ago. */
export class SampleClock implements Clock {
  #behindS = 166 * HOUR_S;

  now(): number {
    return systemClock.now() - this.#behindS;
  }

  after(...call: Parameters<Clock["after"]>): () => void {
    return systemClock.after(...call);
  }

  /** Continues at this time before the present. */
  goTo(hoursAgo: number): void {
    this.#behindS = hoursAgo * HOUR_S;
  }
}

/** Stores a week of memories of a small team of agents, as its programs would. */
export async function storeTeam(client: AgentMemory, clock: SampleClock): Promise<void> {
  const [concierge, planner, researcher] = ["concierge", "planner", "researcher"].map((name) =>
    client.forAgent(name),
  ) as [AgentMemory, AgentMemory, AgentMemory];
  await storeNotes(planner, clock);
  clock.goTo(36);
  const graph = new KnowledgeGraph(concierge);
  await graph.add(TRIPLES.map(([subject, predicate, object]) => ({ subject, predicate, object })));
  for (const [n, [id, turns]] of Object.entries(CHATS).entries()) {
    clock.goTo(28 - 12 * n);
    await storeChat(concierge, id, turns);
    await storeFacts(concierge, id, clock);
  }
  await storeTexts(concierge, clock);
  clock.goTo(0);
  await storeResearch(researcher);
  await storeDigest(planner);
  await spend(concierge);
}

async function storeChat(memory: AgentMemory, id: string, turns: readonly Turn[]): Promise<void> {
  const system = "You are a concierge. Be brief and kind.";
  const talk = await openConversation(memory, { id, description: system });
  for (const [n, [asked, answer]] of turns.entries()) {
    await talk.add([
      { id: `turn${n}`, message: { role: "user", content: asked } },
      { id: `answer${n}`, message: { role: "assistant", content: answer } },
    ]);
  }
}

async function storeFacts(memory: AgentMemory, subject: string, clock: SampleClock): Promise<void> {
  const longTerm = new LongTermMemory(memory, { subject });
  for (const [fact, turn] of FACTS[subject] ?? []) {
    const sources = turn === undefined ? {} : { sources: messageSources(subject, [`turn${turn}`]) };
    await longTerm.record(fact, { infer: false, at: clock.now(), ...sources });
  }
  await longTerm.close();
}

async function storeTexts(concierge: AgentMemory, clock: SampleClock): Promise<void> {
  clock.goTo(7);
  const blocks = new Blocks(concierge);
  const value = "Answer in two sentences.\nOffer a window seat before an aisle seat.";
  await blocks.create("style", { description: "How to answer", value });
  await blocks.create("guests", { description: "Who is served", value: "Ada from Lisbon, Grace from Porto" });
  const files = new MemoryFiles(concierge);
  await files.write("/trips/porto.md", "# Porto\n- train at 08:39\n- Serralves at 10:00\n");
  await files.write("/trips/douro.md", "# Douro\n- boat at noon\n");
  await files.write("/menus/sunday.md", "# Sunday\n- couscous, no peanuts\n");
}

async function storeResearch(researcher: AgentMemory): Promise<void> {
  const places = { text: "Tea houses in Lisbon", places: ["Chiado", "Alfama"] };
  const found = [
    {
      key: { id: "porto-trains" },
      content: "Trains to Porto leave Lisbon every hour",
      tags: ["trains", "porto"],
    },
    {
      key: { id: "porto-museums" },
      content: "Serralves in Porto opens on Mondays",
      tags: ["museums", "porto"],
    },
    { key: { id: "tea-houses" }, content: places, tags: ["tea", "lisbon"] },
  ];
  await researcher.store(found.map((entry) => ({ ...entry, tier: "semantic" as const })));
}

async function storeNotes(planner: AgentMemory, clock: SampleClock): Promise<void> {
  const topics = ["trains", "museums", "weather", "recipes", "hotels", "ferries"];
  for (let n = 0; n < NOTES; n++) {
    clock.goTo(160 - 3 * n);
    const topic = topics[n % topics.length]!;
    const content = `Checked ${topic} for week ${n + 1}: nothing unusual`;
    const tags = [topic, ...(n % 4 === 0 ? ["weekly"] : [])];
    await planner
      .inNamespace("notes/week")
      .store({ key: { id: `note${n + 1}` }, content, tier: "episodic", tags });
  }
}

async function storeDigest(planner: AgentMemory): Promise<void> {
  const trains = await planner.retrieve({ query: "trains", namespace: "notes/**", limit: 3 });
  const sources = trains.entries.map(({ key_hash }) => key_hash);
  const digest = { key: { id: "train-digest" }, tier: "episodic" as const, tags: ["trains"], sources };
  await planner.store({ ...digest, content: "Morning trains are punctual" });
  await planner.store({ ...digest, content: "Morning trains to Porto are punctual" });
  await planner.forSession("today").store({ key: "step", content: "compare hotels", tier: "working" });
}

async function spend(memory: AgentMemory): Promise<void> {
  const usage = { inputTokens: 41_200, outputTokens: 6_300 };
  const reply = { text: "ok", toolCalls: [], finishReason: "stop", usage } as const;
  const limits = { tokens: 200_000, usd: 5, inputPrice: 3, outputPrice: 15 };
  const model = withBudget({ complete: async () => reply }, memory, limits);
  await model.complete({ messages: [{ role: "user", content: "Summarize the week" }] });
}
