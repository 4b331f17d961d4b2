// A graph of LangGraph's that asks its user before it books. Its process ends while it waits, another one goes on where it
// was (MembusSaver), and what the user said of himself is known in his next thread, too (MembusStore).
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
  said: Annotation<string>,
  proposal: Annotation<string>,
  outcome: Annotation<string>,
});
type Said = typeof State.State;

/** What the user has said belongs to him, not to a thread. */
const PERSON = ["people", "ada"];
const SYSTEM = "You find a table for your user. Answer with one place and the reason, in one sentence.";

export async function langgraph(setting: Setting): Promise<void> {
  const rome = { configurable: { thread_id: "rome" } };
  const oslo = { configurable: { thread_id: "oslo" } };
  await inOneProcess(setting, async (graph) => {
    await graph.invoke({ said: "I eat no meat. Find me a table in Rome for Friday." }, rome);
    const [task] = (await graph.getState(rome)).tasks;
    console.log(`rome: waits for an answer: ${task?.interrupts[0]?.value}`);
  });
  console.log("that process has ended");
  await inOneProcess(setting, async (graph) => {
    const { outcome } = await graph.invoke(new Command({ resume: "yes" }), rome);
    console.log(`rome: ${outcome}`);
    await graph.invoke({ said: "And where can I eat in Oslo?" }, oslo);
    const { outcome: refused } = await graph.invoke(new Command({ resume: "no" }), oslo);
    console.log(`oslo: ${refused}`);
  });
}

type Graph = ReturnType<typeof graphOf>;

/** What a process of yours would do: connect, make the graph, use it. */
async function inOneProcess(
  { servers, model }: Setting,
  use: (graph: Graph) => Promise<void>,
): Promise<void> {
  const memory = await MemoryClient.connect({ servers, agent: "waiter" });
  await use(graphOf(memory, model));
  await memory.close();
}

function graphOf(memory: MemoryClient, model: ChatModel) {
  const propose = async ({ said }: Said, { store }: LangGraphRunnableConfig) => {
    const known = (await store!.search(PERSON, { query: said, limit: 3 })).map(({ value }) =>
      String(value.said),
    );
    console.log(`  knows: ${known.join(" ") || "nothing"}`);
    await store!.put(PERSON, said, { said });
    const content = `${["What you know of your user:", ...known].join("\n- ")}\n\n${said}`;
    const messages = [
      { role: "system" as const, content: SYSTEM },
      { role: "user" as const, content },
    ];
    return { proposal: (await model.complete({ messages })).text };
  };
  const decide = ({ proposal }: Said) => {
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
