import { afterAll, describe, expect, it } from "vitest";
import { MUTANTS } from "../mutants/index.js";
import { judge } from "../mutants/judge.js";
import type { Mutant } from "../mutants/mutant.js";
import { readSnapshot, surpriseOf } from "../mutants/snapshot.js";

/** One test for each of the mutants of `route` in part `part` of `parts`; prints how many were killed. */
export function testMutants(route: Mutant["route"], part: number, parts: number): void {
  const mutants = MUTANTS.filter((mutant) => mutant.route === route).filter(
    (_, at) => at % parts === part - 1,
  );
  const snapshot = readSnapshot();
  const title = `mutants of a ${route}, part ${part} of ${parts}`;
  describe(title, () => {
    let killed = 0;
    it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("%s", async (_, mutant) => {
      const verdict = await judge(mutant);
      if (verdict.ok) killed++;
      expect(surpriseOf(verdict, snapshot)).toBeUndefined();
    });
    afterAll(() => {
      process.stdout.write(`${title}: ${killed}/${mutants.length} killed\n`);
    });
  });
}
