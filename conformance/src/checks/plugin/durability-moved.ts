import { type Check, hostTierCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";

const common = { provisions: ["move"], turn: "alone" } as const;

/** State of a tenant that another host of its cluster serves. */
export const durabilityMovedChecks: readonly Check[] = [
  hostTierCheck({
    id: "durability/entries-survive-a-move",
    clauses: ["DUR-1", "DUR-2"],
    features: ["durable"],
    ...common,
    async run({ caller, entry, expect, move }) {
      const named = (id: string) => entry({ key: { id }, tags: ["red"] });
      await caller.store([named("kept"), named("forgotten")]);
      await caller.forget({ keys: [{ id: "forgotten" }] });
      const before = await caller.retrieve({ tags: ["red"] });
      await move();
      const after = await caller.retrieve({ tags: ["red"] });
      expect.equal(
        foundIds(after),
        ["kept"],
        "entries after a move to another host, with one of two forgotten",
      );
      const revisions = [before, after].map(({ entries }) => entries[0]!.revision);
      expect.equal(revisions[1], revisions[0], "revision after a move to another host");
    },
  }),
  hostTierCheck({
    id: "durability/working-tier-ends-with-a-move",
    clauses: ["DUR-3"],
    tiers: ["working"],
    ...common,
    async run({ caller, entry, expect, move }) {
      await caller.store(entry({ key: { id: "before" } }));
      await move();
      await caller.store(entry({ key: { id: "after" } }));
      const found = foundIds(await caller.retrieve());
      expect.equal(found, ["after"], "entries of the working tier after a move to another host");
    },
  }),
];
