// Runs one example: npm run example -- assistant
import { ModelError } from "@membus/agentic";
import { isMemoryError } from "@membus/protocol";
import { agentsSession } from "./agents-session.js";
import { aiSdk } from "./ai-sdk.js";
import { assistant } from "./assistant.js";
import { codingAgent } from "./coding-agent.js";
import { interruption } from "./demo/with-bus.js";
import { langchain } from "./langchain.js";
import { langgraph } from "./langgraph.js";
import { longTask } from "./long-task.js";
import { mcp } from "./mcp.js";
import { memoryTool } from "./memory-tool.js";
import { type Example, withEnvironment, withModel } from "./setting.js";
import { team } from "./team.js";

const EXAMPLES = new Map<string, Example>([
  ["assistant", { api: "openai", play: assistant }],
  ["coding-agent", { api: "openai", play: codingAgent }],
  ["team", { api: "openai", play: team }],
  ["long-task", { api: "openai", play: longTask }],
  ["langgraph", { api: "openai", play: langgraph }],
  ["langchain", { api: "openai", play: langchain }],
  ["agents-session", { api: "openai", play: agentsSession }],
  ["ai-sdk", { api: "openai", play: aiSdk }],
  ["memory-tool", { api: "anthropic", play: memoryTool }],
]);

async function play(name: string, isScripted: boolean): Promise<void> {
  const example = EXAMPLES.get(name);
  if (example === undefined && name !== "mcp") {
    throw new TypeError(`Name one of these examples: ${[...EXAMPLES.keys(), "mcp"].join(", ")}`);
  }
  const interrupted = interruption();
  if (example === undefined) return withEnvironment(process.env, interrupted, mcp);
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
