// A model of the AI SDK with memory. The middleware adds memories of the current user to each request and
// records the conversation. Tools let the model search and forget memories.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { MemoryClient } from "@membus/agent-client";
import { LongTermMemory } from "@membus/agentic";
import { membusMiddleware, membusTools } from "@membus/integrations/ai-sdk";
import { generateText, stepCountIs, type ToolSet, wrapLanguageModel } from "ai";
import type { Endpoint, Setting } from "./setting.js";

const OPENAI = "https://api.openai.com/v1";

export async function aiSdk({ servers, endpoint }: Setting): Promise<void> {
  const client = await MemoryClient.connect({ servers, agent: "cook" });
  const memory = new LongTermMemory(client, { subject: "user:ada" });
  const middleware = membusMiddleware(memory, { wait: true });
  const model = wrapLanguageModel({ model: modelOf(endpoint), middleware });

  const ask = async (prompt: string, subject = "user:ada") => {
    const providerOptions = { membus: { subject } };
    const tools: ToolSet = membusTools(memory.forSubject(subject));
    const system = "You are a cook. Answer in one sentence.";
    const stopWhen = stepCountIs(4);
    const { text, steps } = await generateText({ model, system, prompt, tools, stopWhen, providerOptions });
    for (const { toolName, input } of steps.flatMap(({ toolCalls }) => toolCalls)) {
      console.log(`  ${toolName} ${JSON.stringify(input)}`);
    }
    console.log(`${subject}: ${prompt}\ncook: ${text}\n`);
  };

  await ask("I eat no meat.");
  await ask("What shall I eat tonight?");
  await ask("What shall I eat tonight?", "user:bob");
  await ask("Forget what you know about meat, I eat everything now.");
  await client.close();
}

function modelOf({ model, baseUrl, apiKey }: Endpoint) {
  const settings = { name: "example", baseURL: baseUrl ?? OPENAI, ...(apiKey !== undefined && { apiKey }) };
  return createOpenAICompatible(settings).chatModel(model);
}
