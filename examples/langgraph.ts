// A LangGraph graph that asks its user before it books. Its process ends while it waits, and another process
// continues from the same state (MembusSaver). Facts about the user are also available in other threads
// (MembusStore).
import {
  Annotation,
  Command,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { MemoryClient } from "@membus/agent-client";
import type { ChatModel } from "@membus/agentic";
import { MembusSaver, MembusStore } from "@membus/integrations/langgraph";
import type { Setting } from "./setting.js";

const State = Annotation.Root({
  message: Annotation<string>,
  proposal: Annotation<string>,
  outcome: Annotation<string>,
});
type TripState = typeof State.State;

/** Namespace of the user, shared by all threads. */
const USER_NAMESPACE = ["people", "ada"];
const SYSTEM = "You find a table for your user. Answer with one place and the reason, in one sentence.";

export async function langgraph(setting: Setting): Promise<void> {
  const rome = { configurable: { thread_id: "rome" } };
  const oslo = { configurable: { thread_id: "oslo" } };
  await inOneProcess(setting, async (graph) => {
    await graph.invoke({ message: "I eat no meat. Find me a table in Rome for Friday." }, rome);
    const [task] = (await graph.getState(rome)).tasks;
    console.log(`rome: waiting for an answer: ${task?.interrupts[0]?.value}`);
  });
  console.log("the process has ended");
  await inOneProcess(setting, async (graph) => {
    const { outcome } = await graph.invoke(new Command({ resume: "yes" }), rome);
    console.log(`rome: ${outcome}`);
    await graph.invoke({ message: "And where can I eat in Oslo?" }, oslo);
    const { outcome: refused } = await graph.invoke(new Command({ resume: "no" }), oslo);
    console.log(`oslo: ${refused}`);
  });
}

type Graph = ReturnType<typeof graphOf>;

/** Simulates a process: connects, creates the graph and uses it. */
async function inOneProcess(
  { servers, model }: Setting,
  use: (graph: Graph) => Promise<void>,
): Promise<void> {
  const memory = await MemoryClient.connect({ servers, agent: "waiter" });
  await use(graphOf(memory, model));
  await memory.close();
}

function graphOf(memory: MemoryClient, model: ChatModel) {
  const propose = async ({ message }: TripState, { store }: LangGraphRunnableConfig) => {
    const known = (await store!.search(USER_NAMESPACE, { query: message, limit: 3 })).map(({ value }) =>
      String(value.message),
    );
    console.log(`  knows: ${known.join(" ") || "nothing"}`);
    await store!.put(USER_NAMESPACE, message, { message });
    const content = `${["What you know of your user:", ...known].join("\n- ")}\n\n${message}`;
    const messages = [
      { role: "system" as const, content: SYSTEM },
      { role: "user" as const, content },
    ];
    return { proposal: (await model.complete({ messages })).text };
  };
  const decide = ({ proposal }: TripState) => {
    const answer = interrupt<string, string>(`${proposal} Shall I book it?`);
    return { outcome: answer === "yes" ? `booked: ${proposal}` : `not booked: ${proposal}` };
  };
  return new StateGraph(State)
    .addNode("propose", propose)
    .addNode("decide", decide)
    .addEdge(START, "propose")
    .addEdge("propose", "decide")
    .addEdge("decide", END)
    .compile({ checkpointer: new MembusSaver(memory, { retention: 20 }), store: new MembusStore(memory) });
}
