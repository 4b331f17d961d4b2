import { startHost } from "@membus/mutants";
import { expect, it, onTestFinished } from "vitest";
import { CHECKS, createHostWorld, runSuite } from "../src/index.js";

const MOVED = CHECKS.filter(({ provisions }) => provisions?.includes("move"));

/** Returns the outcomes of the checks that move tenants, by this way to move them. */
async function outcomesOf(move: (() => Promise<void>) | undefined): Promise<string[]> {
  const host = await startHost();
  onTestFinished(() => host.stop());
  const { move: own, ...others } = host.implementation;
  const implementation = { ...others, ...(move && { move }), tiers: ["working"] as const };
  const results = await runSuite(MOVED, await createHostWorld(implementation), { seed: 1 });
  return results.map(({ id, outcome }) => `${id}: ${outcome}`);
}

const ENTRIES = "durability/entries-survive-a-move: not-applicable";

it("a move after which the tenant has the same host is untestable", async () => {
  expect(await outcomesOf(async () => undefined)).toEqual([
    ENTRIES,
    "durability/working-tier-ends-with-a-move: untestable",
  ]);
});

it("moves are not applicable to a host without a way to move tenants", async () => {
  expect(await outcomesOf(undefined)).toEqual([
    ENTRIES,
    "durability/working-tier-ends-with-a-move: not-applicable",
  ]);
});
