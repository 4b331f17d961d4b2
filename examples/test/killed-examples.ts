import type { MemoryClient } from "@membus/agent-client";
import { LongTermMemory } from "@membus/agentic";
import { MembusChatMessageHistory } from "@membus/integrations/langchain";
import { MembusSaver, MembusStore } from "@membus/integrations/langgraph";
import { MembusSession } from "@membus/integrations/openai-agents";
import { expect } from "vitest";

/** An example during which a host is killed. */
export interface KilledExample {
  readonly name: string;
  /** Agent that owns the memory. */
  readonly agent: string;
  /** Numbers of the completed stores at which the host is killed. */
  readonly done: readonly number[];
  /** Expected output, in order. */
  readonly output: readonly (string | RegExp)[];
  /** Minimum number of entries afterwards. */
  readonly kept: number;
  /** Reads the memories as the framework does. */
  remembered(memory: MemoryClient): Promise<unknown>;
  readonly memories: unknown;
}

export const KILLED_EXAMPLES: readonly KilledExample[] = [
  {
    name: "mcp",
    agent: "mcp",
    done: [1, 3],
    output: [
      "chat recalls: main\n",
      "chat is notified: the branch has changed\nchat recalls: release-2\n",
      "chat finds: Ada reviews everything that touches the protocol\n",
      "forgotten: 2\nleft: 0\n",
    ],
    kept: 0,
    remembered: async (memory) => (await memory.retrieve({ namespace: "mcp-example", limit: 0 })).total,
    memories: 0,
  },
  {
    name: "langgraph",
    agent: "waiter",
    done: [1, 8, 20],
    output: [
      "  knows: nothing\nrome: waiting for an answer: Il Margutta, it cooks without meat. Shall I book it?\n",
      "rome: booked: Il Margutta, it cooks without meat.\n",
      "  knows: I eat no meat. Find me a table in Rome for Friday.\noslo: not booked: Nordvegan, it cooks without meat.\n",
    ],
    kept: 30,
    remembered: async (memory) => {
      const thread = await new MembusSaver(memory).getTuple({ configurable: { thread_id: "rome" } });
      const items = await new MembusStore(memory).search(["people", "ada"]);
      return [thread!.checkpoint.channel_values.outcome, ...items.map(({ value }) => value.message)];
    },
    memories: [
      "booked: Il Margutta, it cooks without meat.",
      "I eat no meat. Find me a table in Rome for Friday.",
      "And where can I eat in Oslo?",
    ],
  },
  {
    name: "langchain",
    agent: "guide",
    done: [1, 3],
    output: [
      "guide: Have a good journey.\n",
      "guide: At half past eight.\n",
      "found without LangChain, among 4 messages: My train to Rome leaves at nine.\n",
    ],
    kept: 2,
    remembered: async (memory) => {
      const messages = await new MembusChatMessageHistory(memory, { sessionId: "holiday" }).getMessages();
      return messages.map(({ text }) => text);
    },
    memories: [
      "My train to Rome leaves at nine.",
      "Have a good journey.",
      "When do I have to leave?",
      "At half past eight.",
    ],
  },
  {
    name: "agents-session",
    agent: "travel-desk",
    done: [1, 3],
    output: [
      "agent:  89 euros.\n",
      /undone: the last turn; \d+ of 10 items remain\n/,
      "user:   Who am I?\nagent:  You are Ada.\n",
    ],
    kept: 3,
    remembered: async (memory) => {
      const items = await new MembusSession(memory, { sessionId: "ada" }).getItems();
      return [JSON.stringify(items[0]), JSON.stringify(items.at(-1))];
    },
    memories: [
      expect.stringContaining("I am Ada, and I travel alone."),
      expect.stringContaining("You are Ada."),
    ],
  },
  {
    name: "ai-sdk",
    agent: "cook",
    done: [1, 3],
    output: [
      "user:ada: What shall I eat tonight?\ncook: Lentils with spinach.\n",
      "user:bob: What shall I eat tonight?\ncook: A goulash.\n",
      /user:ada: Forget .*\ncook: It is forgotten\.\n/,
    ],
    kept: 4,
    remembered: async (memory) => {
      const known: string[] = [];
      for await (const { text } of new LongTermMemory(memory, { subject: "user:ada" }).entries())
        known.push(text);
      return known.sort();
    },
    memories: [
      "Forget what you know about meat, I eat everything now.",
      "It is forgotten.",
      "Lentils with spinach.",
      "Noted.",
      "What shall I eat tonight?",
    ],
  },
  {
    name: "memory-tool",
    agent: "claude",
    done: [1],
    output: [
      "claude:  I have noted it.\n",
      "claude:  My notes are correct again.\n",
      "claude:  On a Thursday; ask Ada.\n",
    ],
    kept: 1,
    remembered: async (memory) => {
      const { entries } = await memory.retrieve({ namespace: "memories" });
      return entries.map(({ key, content }) => [key, content]);
    },
    memories: [[{ file: "deploys.md" }, { text: "Deploys: Thursdays\nSigned off by: Ada\n" }]],
  },
];
