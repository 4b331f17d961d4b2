import type { MemoryClient } from "@membus/agent-client";
import { MembusSaver, MembusStore } from "@membus/integrations/langgraph";

/** An example during which a host is killed. */
export interface KilledExample {
  readonly name: string;
  /** Agent that owns the memory. */
  readonly agent: string;
  /** Numbers of the completed stores at which the host is killed. */
  readonly done: readonly number[];
  /** Expected output, in order. */
  readonly output: readonly string[];
  /** Minimum number of entries afterwards. */
  readonly kept: number;
  /** Reads the memories as the framework does. */
  remembered(memory: MemoryClient): Promise<unknown>;
  readonly memories: unknown;
}

/** The tests of the packages kill hosts below the other integrations. */
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
];
