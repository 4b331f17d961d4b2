import { judge, MUTANTS, type Mutant } from "@membus/mutants";
import { describe, expect, it } from "vitest";

/** Registers one test for each mutant of `route`: its check must be red and name the defect. */
export function testMutants(route: Mutant["route"]): void {
  const mutants = MUTANTS.filter((mutant) => mutant.route === route);
  // A check of a host mostly waits for messages that must not come, so several run at once. A check of a plugin may
  // measure the memory of the process.
  describe(`mutants of a ${route}`, { concurrent: route === "host" }, () => {
    it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("%s", async (_, mutant) => {
      const { message, killed } = await judge(mutant);
      expect(message).toMatch(mutant.names);
      expect(killed).toBe(true);
    });
  });
}
