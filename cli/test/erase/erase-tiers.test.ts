import { MemoryError } from "@membus/protocol";
import { expect, it } from "vitest";
import { type ErasableTier, eraseTiers } from "../../src/erase/erase-tiers.js";

const COUNTS = { entries: 1, namespaces: 1, replies: 0 };

/** A tier that notes its calls, and may fail to erase. */
function tier(name: ErasableTier["tier"], calls: string[], error?: Error): ErasableTier {
  const note = (call: string) => void calls.push(`${call} ${name}`);
  return {
    tier: name,
    plugin: {
      announceErasure: async () => note("announce"),
      async eraseOwner() {
        note("erase");
        if (error !== undefined) throw error;
        return COUNTS;
      },
    },
  };
}

it("erases all tiers, also after one of them has failed", async () => {
  const calls: string[] = [];
  const down = new MemoryError("unavailable", "a server is down");
  const tiers = [tier("working", calls), tier("episodic", calls, down), tier("semantic", calls)];
  const erasure = eraseTiers({ tenant: "acme" }, tiers, { dryRun: false, onTier() {} });
  await expect(erasure).rejects.toBe(down);
  const names = ["working", "episodic", "semantic"];
  expect(calls).toEqual(["announce", "erase"].flatMap((call) => names.map((name) => `${call} ${name}`)));
});
