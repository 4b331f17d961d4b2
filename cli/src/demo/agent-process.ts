import { createInterface } from "node:readline";
import { MemoryClient } from "@membus/agent-client";
import { isMemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { natsOptions } from "../nats-options.js";
import type { AgentCall, AgentLine, AgentTasks } from "./agent-messages.js";
import { createAgentTasks } from "./agent-tasks.js";

/** Short, so that what was in flight when the host died is soon sent again. */
const TIMEOUT_MS = 1_000;

/**
 * The life of an agent in the demo: connects, does what the lines on standard input ask, answers each with a line on
 * standard output, and ends with its input, whatever became of who wrote it.
 */
export async function runAgentProcess(config: Config, agent: string): Promise<void> {
  const memory = await MemoryClient.connect({
    ...(await natsOptions(config, `demo-${agent}`)),
    agent,
    timeoutMs: TIMEOUT_MS,
  });
  const tasks = createAgentTasks(memory, (salesAcknowledged) => writeLine({ salesAcknowledged }));
  for await (const line of createInterface({ input: process.stdin })) {
    void answer(tasks, JSON.parse(line) as AgentCall).then(writeLine);
  }
  await memory.close();
}

async function answer(tasks: AgentTasks, { id, task, args }: AgentCall): Promise<AgentLine> {
  try {
    const run = tasks[task] as (...args: readonly unknown[]) => Promise<unknown>;
    return { id, value: await run(...args) };
  } catch (error) {
    const code = isMemoryError(error) ? error.code : "runtime_error";
    return { id, error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

function writeLine(line: AgentLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
