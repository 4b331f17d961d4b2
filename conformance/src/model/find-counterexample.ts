import fc from "fast-check";
import type { MemoryContext } from "../context.js";
import { ExpectationError } from "../expect.js";
import type { MemoryAgent } from "../memory-agent.js";
import type { TracedStep } from "../run/traced-step.js";

/**
 * Tries generated inputs, each on a separate partition, until one breaks an expectation. Then searches for a
 * smaller input.
 * @throws {ExpectationError} of the smallest failing input, with the requests that reproduce it.
 */
export async function findCounterexample<Input>(
  { random, agent, trace }: Pick<MemoryContext, "random" | "agent" | "trace">,
  inputs: fc.Arbitrary<Input>,
  runs: number,
  run: (agent: MemoryAgent, input: Input) => Promise<void>,
): Promise<void> {
  let partition = 0;
  let smallest: { readonly error: unknown; readonly steps: readonly TracedStep[] } | undefined;
  const property = fc.asyncProperty(inputs, async (input) => {
    trace.clear();
    try {
      await run(agent({ below: String(++partition) }), input);
    } catch (error) {
      smallest = { error, steps: [...trace.steps] };
      throw error;
    }
  });
  const details = await fc.check(property, { seed: random.integer(0, 2 ** 31 - 1), numRuns: runs });
  if (!details.failed || smallest === undefined) return;
  const { error, steps } = smallest;
  if (!(error instanceof ExpectationError)) throw error;
  throw new ExpectationError({ ...error.discrepancy, steps });
}
