import { afterAll, describe, expect, it } from "vitest";
import { MUTANTS } from "../mutants/index.js";
import { judge, judgesOf } from "../mutants/judge.js";
import type { Mutant } from "../mutants/mutant.js";
import { readSnapshot, surpriseOf } from "../mutants/snapshot.js";

/**
 * One test for each of the mutants of `route`: the checks that turned red when the snapshot was taken still do, and
 * the one that is meant to find it names the defect. That no other does, `npm run mutants` shows.
 */
export function testMutants(route: Mutant["route"]): void {
  const mutants = MUTANTS.filter((mutant) => mutant.route === route);
  const snapshot = readSnapshot();
  describe(`mutants of a ${route}`, () => {
    let killed = 0;
    it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("%s", async (_, mutant) => {
      const pinned = new Set([mutant.check, ...(snapshot[mutant.id] ?? [])]);
      const verdict = await judge(
        mutant,
        judgesOf(mutant).filter(({ id }) => pinned.has(id)),
      );
      if (verdict.ok) killed++;
      expect(surpriseOf(verdict, snapshot)).toBeUndefined();
    });
    afterAll(() => {
      process.stdout.write(`mutants of a ${route}: ${killed} of ${mutants.length} killed\n`);
    });
  });
}
