import type { MemoryTier } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { openMemoryKit, TestKit } from "./kit-fixture.js";
import type { TestClock } from "./test-clock.js";

async function openTier(tier: MemoryTier): Promise<{ plugin: MemoryPlugin; clock: TestClock }> {
  return tier === "working" ? openMemoryKit() : TestKit.open({ tier });
}

describe("a client that only knows the fields of A2E", () => {
  for (const tier of ["working", "episodic", "semantic"] as const) {
    it(`loses nothing when it reads, modifies and stores an entry, ${tier}`, async () => {
      const kit = await openTier(tier);
      const { store, entry, retrieve } = calls(kit, { tier });
      const extensions = {
        metadata: { color: "red", list: ["x"] },
        context: "seen in the kitchen",
        group: "conversation-1",
        occurred_at: 1_700_000_000,
        importance: 0.4,
      };
      await store([
        {
          key: { id: "k" },
          content: { text: "winter market" },
          tags: ["t"],
          source: "sensor",
          ...extensions,
        },
      ]);
      kit.clock.advance(60);
      const before = (await entry({ id: "k" }, { query: "winter", include: ["context"] }))!;
      expect(before.score).not.toBe(0.4);
      const { key, tags, source, score, ttl } = before;
      const { receipts } = await store([
        { key, content: { text: "garden letter" }, tier, tags, source, score, ttl },
      ]);
      expect(receipts[0]!.outcome).toBe("updated");
      const after = (await entry({ id: "k" }, { query: "garden", include: ["context"] }))!;
      expect(after).toMatchObject({ ...extensions, tags: ["t"], source: "sensor", seq: before.seq });
      expect(after.timestamps.created).toBe(before.timestamps.created);
      expect(after.revision).toBeGreaterThan(before.revision);
      expect((await retrieve({ query: "winter", mode: "text" })).total).toBe(0);
      expect((await retrieve({ query: "kitchen", mode: "text" })).total).toBe(1);
    });

    it(`changes nothing when it stores an entry as read, ${tier}`, async () => {
      const kit = await openTier(tier);
      const { store, entry } = calls(kit, { tier });
      await store([{ key: { id: "k" }, content: { b: 1, a: [2] }, importance: 0.3, text: "given" }]);
      const { key, content, tags, source, score, ttl, revision } = (await entry({ id: "k" }))!;
      const { receipts } = await store([{ key, content, tags, source, score, ttl }]);
      expect(receipts).toMatchObject([{ outcome: "unchanged", revision }]);
      expect(await entry({ id: "k" })).toMatchObject({ revision, importance: 0.3, text: "given" });
    });
  }
});
