// An agent of the OpenAI Agents SDK with its session on the bus. Each turn uses a new connection, like the
// requests of a web server. Any process can continue the session, two turns can run at once, and a turn can
// be undone.
import { MemoryClient } from "@membus/agent-client";
import { MembusSession } from "@membus/integrations/openai-agents";
import { Agent, type AgentInputItem, OpenAIChatCompletionsModel, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import type { Endpoint, Setting } from "./setting.js";

const PRICES: Readonly<Record<string, number>> = { Rome: 89, Oslo: 140 };

const price = tool({
  name: "price_of_trip",
  description: "Returns the price of a train ticket to a city, in euros",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => String(PRICES[city] ?? "no train goes there"),
});

export async function agentsSession({ servers, endpoint }: Setting): Promise<void> {
  await turn("I am Ada, and I travel alone. How much is the ticket to Rome?", servers, endpoint);
  await Promise.all([
    turn("And to Oslo?", servers, endpoint),
    turn("Which of my trips was the Rome price for?", servers, endpoint),
  ]);
  await withSession(servers, async (session) => {
    const items = await session.getItems();
    const before = items.findLastIndex((item) => "role" in item && item.role === "user");
    while ((await session.getItems()).length > before) await session.popItem();
    console.log(`undone: the last turn; ${before} of ${items.length} items remain`);
  });
  await turn("Who am I?", servers, endpoint);
}

async function turn(words: string, servers: string, endpoint: Endpoint): Promise<void> {
  await withSession(servers, async (session) => {
    const agent = new Agent({
      name: "travel desk",
      instructions: "You sell tickets.",
      model: modelOf(endpoint),
      tools: [price],
    });
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, words, { session });
    console.log(`user:   ${words}\nagent:  ${finalOutput}\n`);
  });
}

async function withSession(servers: string, use: (session: MembusSession<AgentInputItem>) => Promise<void>) {
  const memory = await MemoryClient.connect({ servers, agent: "travel-desk" });
  try {
    await use(new MembusSession<AgentInputItem>(memory, { sessionId: "ada" }));
  } finally {
    await memory.close();
  }
}

function modelOf({ model, baseUrl, apiKey }: Endpoint): OpenAIChatCompletionsModel {
  return new OpenAIChatCompletionsModel(
    new OpenAI({ baseURL: baseUrl ?? null, apiKey: apiKey ?? "none" }),
    model,
  );
}
