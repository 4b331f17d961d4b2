import fc from "fast-check";
import { cleanUp } from "./kit-fixture.js";

/** Checks a property on a number of seeds. The first is printed, and `MEMBUS_SEED` sets it. */
export async function seeded<T extends [unknown, ...unknown[]]>(
  property: fc.IAsyncPropertyWithHooks<T>,
  numRuns: number,
): Promise<void> {
  const seed = Number(process.env.MEMBUS_SEED ?? Date.now() % 2 ** 31);
  const runs = Number(process.env.MEMBUS_SEEDS ?? numRuns);
  console.log(`${runs} runs from seed ${seed}`);
  await fc.assert(property.afterEach(cleanUp), { numRuns: runs, seed });
}
