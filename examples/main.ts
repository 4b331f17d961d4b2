// Runs one example: npm run example -- assistant
import { ModelError } from "@membus/agentic";
import { isMemoryError } from "@membus/protocol";
import { interruption } from "./demo/with-bus.js";
import { type Example, withEnvironment, withModel } from "./setting.js";

/** Loads an example when it is played, because the frameworks of all examples take seconds to load. */
function onDemand(api: Example["api"], load: () => Promise<Example["play"]>): Example {
  return { api, play: async (setting) => (await load())(setting) };
}

const EXAMPLES = new Map<string, Example>([
  ["assistant", onDemand("openai", async () => (await import("./assistant.js")).assistant)],
  ["coding-agent", onDemand("openai", async () => (await import("./coding-agent.js")).codingAgent)],
  ["team", onDemand("openai", async () => (await import("./team.js")).team)],
  ["long-task", onDemand("openai", async () => (await import("./long-task.js")).longTask)],
  ["langgraph", onDemand("openai", async () => (await import("./langgraph.js")).langgraph)],
  ["langchain", onDemand("openai", async () => (await import("./langchain.js")).langchain)],
  ["agents-session", onDemand("openai", async () => (await import("./agents-session.js")).agentsSession)],
  ["ai-sdk", onDemand("openai", async () => (await import("./ai-sdk.js")).aiSdk)],
  ["memory-tool", onDemand("anthropic", async () => (await import("./memory-tool.js")).memoryTool)],
]);

async function play(name: string, isScripted: boolean): Promise<void> {
  const example = EXAMPLES.get(name);
  if (example === undefined && name !== "mcp") {
    throw new TypeError(`Name one of these examples: ${[...EXAMPLES.keys(), "mcp"].join(", ")}`);
  }
  const interrupted = interruption();
  if (example === undefined) {
    const { mcp } = await import("./mcp.js");
    return withEnvironment(process.env, interrupted, mcp);
  }
  if (!isScripted) return withModel(process.env, interrupted, example);
  // Imported on demand, because the scripted server is part of the tests.
  const { withScript } = await import("./scripted/play.js");
  await withScript(name, (model) => withModel({ ...process.env, ...model }, interrupted, example));
}

/** Returns a message that names the source of a failure: the model or the bus. */
function describeFailure(error: unknown): string {
  if (error instanceof ModelError) {
    const where = process.env.OPENAI_BASE_URL || "OpenAI";
    return `The model at ${where} gave no answer (${error.code}): ${error.message}`;
  }
  if (isMemoryError(error)) return `The bus reports ${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

const [name = "", ...flags] = process.argv.slice(2);
try {
  await play(name, flags.includes("--scripted"));
} catch (error) {
  console.error(describeFailure(error));
  // Requests that were interrupted may still be pending. No code waits for them.
  process.exit(1);
}
