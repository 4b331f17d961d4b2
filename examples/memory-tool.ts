// Claude with the memory tool of Anthropic's API. The files of the tool are stored on the bus. Notes from one
// conversation are available in the next, even in another process, and can be found by their meaning.
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { MemoryClient } from "@membus/agent-client";
import { memoryToolHandlers } from "@membus/integrations/anthropic";
import type { Endpoint, Setting } from "./setting.js";

const CONVERSATIONS = [
  "Our deploys are on Tuesdays, and Ada signs them off. Note that for later.",
  "Deploys have moved to Thursdays. Correct your notes.",
  "When is the next deploy, and who has to approve it?",
];

export async function memoryTool({ servers, endpoint }: Setting): Promise<void> {
  for (const words of CONVERSATIONS) {
    const memory = await MemoryClient.connect({ servers, agent: "claude" });
    await converse(words, memory, endpoint);
    await memory.close();
  }
  await lookFor("who signs deploys off?", servers);
}

/** Runs one conversation. Only the files remain afterwards. */
async function converse(words: string, memory: MemoryClient, { model, baseUrl, apiKey }: Endpoint) {
  const client = new Anthropic({ baseURL: baseUrl ?? null, apiKey: apiKey ?? "none" });
  const runner = client.beta.messages.toolRunner({
    model,
    max_tokens: 1_024,
    max_iterations: 10,
    messages: [{ role: "user", content: words }],
    tools: [betaMemoryTool(memoryToolHandlers(memory))],
  });
  console.log(`\nuser:    ${words}`);
  for await (const { content } of runner) {
    for (const block of content) {
      if (block.type === "text") console.log(`claude:  ${block.text}`);
      if (block.type === "tool_use") console.log(`memory:  ${JSON.stringify(block.input)}`);
    }
  }
}

/** Finds the same files with a plain client of the bus. */
async function lookFor(query: string, servers: string): Promise<void> {
  const memory = await MemoryClient.connect({ servers, agent: "claude" });
  const { entries } = await memory.retrieve({ namespace: "memories", query, limit: 1 });
  for (const { key, content } of entries) console.log("\nfound:  ", key, content);
  await memory.close();
}
