// Three agents of a plant. Statements go into a graph that all agents share (semantic tier). Private notes
// (episodic tier) are readable only by their author. The third agent connects the findings of the first two.
import { MemoryClient } from "@membus/agent-client";
import { CostMeter, KnowledgeGraph, LongTermMemory, runAgent } from "@membus/agentic";
import { graphTools } from "@membus/agentic/graph";
import { gaiaTools } from "@membus/agentic/long-term";
import { systemClock } from "@membus/protocol";
import type { Setting } from "./setting.js";

interface Member {
  readonly agent: string;
  readonly task: string;
}

const TEAM: readonly Member[] = [
  {
    agent: "scout",
    task:
      "Log of tonight: pump P2 stopped at 06:10. Pump P2 cools line 4. Add both statements to the graph. " +
      "The operator fears for her job and wants to stay anonymous: note that in your private memory only.",
  },
  {
    agent: "planner",
    task:
      "The plan: order 71 is made on line 4, order 72 on line 5. Look up line 4 in the graph, then add " +
      "on which lines the orders are made. Note in your private memory that order 71 has a penalty of 9,000 a day.",
  },
  {
    agent: "writer",
    task: "How is pump P2 connected with order 71? Find the path in the graph, and explain it in one sentence.",
  },
];

const PROMPT =
  "You belong to a team that keeps a knowledge graph. Names in it are short: pump P2, line 4, order 71. " +
  "Statements are shared with the team. Confidential information goes into your own memory (add_memory), never into the graph.";

export async function team(setting: Setting): Promise<void> {
  for (const member of TEAM) await work(member, setting);
  await showAccess(setting);
}

/** Connects a member: its own identity, its private notes, and the shared graph. */
async function join(agent: string, { servers, model }: Setting) {
  const client = await MemoryClient.connect({ servers, agent });
  const graph = new KnowledgeGraph(client, { tier: "semantic", namespace: "graph/plant" });
  const notes = new LongTermMemory(client, { subject: "notes" }, { model });
  return { client, graph, notes };
}

async function work({ agent, task }: Member, setting: Setting): Promise<void> {
  const { client, graph, notes } = await join(agent, setting);
  const { text } = await runAgent(
    {
      model: setting.model,
      system: `${PROMPT}\nYou are the ${agent}.`,
      tools: [...graphTools(graph), ...gaiaTools(notes, { async: false })],
      messages: [{ role: "user", content: task }],
      onStep({ results }) {
        for (const { call, text: answer } of results) {
          console.log(`  ${call.name}: ${answer.trim().split("\n").join("; ")}`);
        }
      },
    },
    new CostMeter(systemClock),
  );
  console.log(`  ${agent}: ${text}\n`);
  await notes.close();
  await client.close();
}

/** Prints the data that each member can access, without a model. */
async function showAccess(setting: Setting): Promise<void> {
  for (const { agent } of TEAM) {
    const { client, graph, notes } = await join(agent, setting);
    const { total } = await graph.query();
    const { paths } = await graph.paths("pump P2", "order 71");
    const { fact } = await notes.sizes();
    const path = paths[0]?.nodes.join(" – ") ?? "no path";
    console.log(`${agent} sees ${total} statements (${path}), and ${fact} private notes`);
    await client.close();
  }
}
