// One example by its name: npm run example -- assistant
import { ModelError } from "@membus/agentic";
import { isMemoryError } from "@membus/protocol";
import { assistant } from "./assistant.js";
import { codingAgent } from "./coding-agent.js";
import { interruption } from "./demo/with-bus.js";
import { longTask } from "./long-task.js";
import { withSetting } from "./setting.js";
import { team } from "./team.js";

const EXAMPLES = new Map([
  ["assistant", assistant],
  ["coding-agent", codingAgent],
  ["team", team],
  ["long-task", longTask],
]);

/** What went wrong, and whose fault it is. */
function wordsOf(error: unknown): string {
  if (error instanceof ModelError) {
    const where = process.env.OPENAI_BASE_URL || "OpenAI";
    return `The model of ${where} gave no answer (${error.code}): ${error.message}`;
  }
  if (isMemoryError(error)) return `The bus reports ${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

const example = EXAMPLES.get(process.argv[2] ?? "");
try {
  if (example === undefined) {
    throw new TypeError(`Which example? One of ${[...EXAMPLES.keys()].join(", ")}`);
  }
  await withSetting(process.env, interruption(), example);
} catch (error) {
  console.error(wordsOf(error));
  // What was cut off may wait for an answer yet: nobody listens to it any more.
  process.exit(1);
}
