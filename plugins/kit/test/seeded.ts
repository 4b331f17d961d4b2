import fc from "fast-check";
import { cleanUp } from "./kit-fixture.js";

/** Checks a property on `numRuns` cases of one seed: `MEMBUS_SEED`, by default 1. The seed is printed. */
export async function seeded<T extends [unknown, ...unknown[]]>(
  property: fc.IAsyncPropertyWithHooks<T>,
  numRuns: number,
): Promise<void> {
  const seed = Number(process.env.MEMBUS_SEED ?? 1);
  const runs = Number(process.env.MEMBUS_SEEDS ?? numRuns);
  console.log(`${runs} runs from seed ${seed}`);
  await fc.assert(property.afterEach(cleanUp), { numRuns: runs, seed });
}
