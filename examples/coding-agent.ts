// A coding agent that learns from its tool calls. The project has an undocumented rule. The agent violates it
// in its first task, and applies the learned rule in the second one.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { MemoryClient } from "@membus/agent-client";
import { type ChatMessage, CostMeter, LongTermMemory, runAgent, type Tool } from "@membus/agentic";
import type { ToolCallReport } from "@membus/agentic/long-term";
import { type AgentRun, type AgentStep, typedTool } from "@membus/agentic/tools";
import { systemClock } from "@membus/protocol";
import { z } from "zod";
import type { Setting } from "./setting.js";

const TASKS = ["slug", "initials"];
const TESTS: Readonly<Record<string, string>> = {
  "slug.test.js": `import { strictEqual } from "node:assert";
import { test } from "node:test";
import { slug } from "./slug.js";
test("words are joined by dashes", () => strictEqual(slug("Hello brave World"), "hello-brave-world"));`,
  "initials.test.js": `import { strictEqual } from "node:assert";
import { test } from "node:test";
import { initials } from "./initials.js";
test("the first letters in upper case", () => strictEqual(initials("ada lovelace"), "AL"));`,
};
const LICENCE = "// SPDX-License-Identifier: Apache-2.0";
const PROMPT =
  "You write JavaScript modules for Node. Write the file, run its test, and summarise the result in one sentence.";

export async function codingAgent({ servers, model, folder }: Setting): Promise<void> {
  const client = await MemoryClient.connect({ servers, agent: "coder" });
  const memory = new LongTermMemory(client, { subject: "agent:coder" }, { model });
  const tools = await toolsIn(join(folder, "project"));
  for (const name of TASKS) {
    await work(`Write ${name}.js so that ${name}.test.js passes.`, { model, tools }, memory);
  }
  await memory.close();
  await client.close();
}

/** Performs a task with the experiences of earlier tasks, then learns from the result. */
async function work(
  task: string,
  { model, tools }: Pick<AgentRun, "model" | "tools">,
  memory: LongTermMemory,
): Promise<void> {
  const experiences = await memory.retrieve(task, { kinds: ["experience"] });
  const guidelines = await memory.guidelines(tools.map(({ name }) => name));
  const known = [...experiences.memories, ...guidelines.memories];
  console.log([`\n${task}`, ...known.map(({ text }) => `remembers:  ${text}`)].join("\n  "));

  const system = [PROMPT, experiences.asText(), guidelines.asText()].join("\n");
  const messages: ChatMessage[] = [{ role: "user", content: task }];
  const calls: ToolCallReport[] = [];
  const onStep = (step: AgentStep) => void calls.push(...reportsOf(step));
  const run = { model, system, tools, messages, onStep };
  const { text, messages: did, stepCount } = await runAgent(run, new CostMeter(systemClock));
  const failed = calls.filter(({ success }) => !success).length;
  console.log(`  says:       ${text}\n  ${stepCount} model calls, failed tool calls: ${failed}`);

  await memory.recordToolCalls(calls);
  const isSolved = calls.findLast(({ tool_name }) => tool_name === "run_test")?.success === true;
  const learned = await memory.recordExperiences([...messages, ...did], { value: isSolved ? 1 : 0 });
  for (const { outcome, text } of learned.outcomes) console.log(`  learns:     ${text} (${outcome})`);
}

/** Returns reports of the tool calls of a step, with their share of the step's tokens. */
function reportsOf({ reply: { usage }, results }: AgentStep): ToolCallReport[] {
  const token_cost = (usage.inputTokens + usage.outputTokens) / results.length;
  return results.map(({ call, text: output, succeeded: success }) => {
    console.log(`  ${success ? "✓" : "✗"} ${call.name}: ${output.split("\n")[0]}`);
    const input = call.arguments;
    return { call_id: call.id, tool_name: call.name, input, output, success, token_cost };
  });
}

/** Returns tools for the modules of one folder. File names have no path, so that they cannot lead outside. */
async function toolsIn(folder: string): Promise<Tool[]> {
  await mkdir(folder);
  const files = { ...TESTS, "package.json": '{ "type": "module" }' };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const FileSchema = z
    .string()
    .regex(/^\w+(\.test)?\.js$/)
    .describe("File name, such as slug.js.");
  return [
    typedTool({
      name: "read_file",
      description: "Reads a file of the project.",
      parameters: z.object({ file: FileSchema }),
      run: ({ file }) => readFile(join(folder, file), "utf8"),
    }),
    typedTool({
      name: "write_file",
      description: "Writes a module of the project.",
      parameters: z.object({ file: FileSchema, text: z.string().max(10_000) }),
      async run({ file, text }) {
        if (file in TESTS) throw new Error("tests cannot be changed");
        if (!text.startsWith(LICENCE)) throw new Error(`the first line of a module must be: ${LICENCE}`);
        await writeFile(join(folder, file), text);
        return `written: ${file}`;
      },
    }),
    typedTool({
      name: "run_test",
      description: "Runs a test of the project, such as slug.test.js.",
      parameters: z.object({ file: FileSchema }),
      run: ({ file }, { signal }) => runBounded(folder, file, signal),
    }),
  ];
}

const PERMISSION = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** Runs code written by the model. It may only read its folder, and is stopped after ten seconds. */
async function runBounded(folder: string, file: string, signal: AbortSignal | undefined): Promise<string> {
  const args = [PERMISSION, `--allow-fs-read=${folder}`, file];
  const bounds = { cwd: folder, env: {}, timeout: 10_000, maxBuffer: 1_000_000, signal };
  const failed = (error: { stdout?: string }) => new Error(`the test failed: ${error.stdout || error}`);
  await promisify(execFile)(process.execPath, args, bounds).catch((error) => Promise.reject(failed(error)));
  return "the test passed";
}
