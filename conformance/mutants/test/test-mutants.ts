import { judge, MUTANTS, type Mutant } from "@membus/mutants";
import { describe, expect, it } from "vitest";

/** Registers one test for each mutant of `route`: its check must be red and name the defect. */
export function testMutants(route: Mutant["route"]): void {
  const mutants = MUTANTS.filter((mutant) => mutant.route === route);
  describe(`mutants of a ${route}`, () => {
    it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("%s", async (_, mutant) => {
      const { message, killed } = await judge(mutant);
      expect(message).toMatch(mutant.names);
      expect(killed).toBe(true);
    });
  });
}
