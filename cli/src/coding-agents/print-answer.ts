import type { HookAnswer } from "@membus/coding-agents";

/**
 * Prints the answer of a hook and ends the process with 0. A failure is a message in the answer, because other
 * exit codes stop the agent, and any other output is read as an answer.
 */
export async function printAnswer(answer: () => Promise<HookAnswer>): Promise<void> {
  const given = await answer().catch(failureAnswer);
  if (Object.keys(given).length === 0) process.exit(0);
  process.stdout.write(`${JSON.stringify(given)}\n`, () => process.exit(0));
}

function failureAnswer(error: unknown): HookAnswer {
  return { systemMessage: `membus: ${error instanceof Error ? error.message : String(error)}` };
}
