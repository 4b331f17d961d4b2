import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openLru } from "./lru-fixture.js";

const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Returns the bytes in use, without memory that an allocator holds. */
async function bytesInUse(): Promise<number> {
  for (let turn = 0; turn < 4; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("a flood of tiny scopes", () => {
  it.each(["session", "namespace"])(
    "of one %s each takes the counted bytes, and stays below the limit",
    async (field) => {
      const lru = await openLru({ bytesMax: 64 * MIB });
      const { store, retrieve } = calls(lru, { tier: "working" });
      const flood = async (from: number, end: number) => {
        for (let at = from; at < end; at++) {
          await store([{ key: "k", content: `note ${at}`, tags: ["t"] }], { [field]: `s${at}` });
          lru.changes.length = 0;
          // Some are queried, which creates indexes.
          if (at % 4 === 0)
            await retrieve({ query: "note", criteria: { tags: ["t"] } }, { [field]: `s${at}` });
        }
        lru.clock.advance(1);
        await lru.plugin.maintain!();
      };
      await flood(0, 500);
      // Replies that are kept for retries have their own limit.
      const counted = () =>
        Number(lru.plugin.stats!().lru_bytes) + Number(lru.plugin.stats!().operation_bytes);
      const before = { counted: counted(), used: await bytesInUse() };
      await flood(500, 5_000);
      const ratio = ((await bytesInUse()) - before.used) / (counted() - before.counted);
      expect(lru.plugin.stats!().lru_scopes).toBe(5_000);
      expect([ratio > 0.6, ratio < 1.3], `measured over counted: ${ratio}`).toEqual([true, true]);
      await flood(5_000, 15_000);
      expect(Number(lru.plugin.stats!().lru_bytes)).toBeLessThanOrEqual(64 * MIB);
      expect(lru.plugin.stats!().lru_scopes).toBeLessThan(12_500);
      const grown = ((await bytesInUse()) - before.used) / (counted() - before.counted);
      expect(grown, "of those that are left").toBeLessThan(1.5);
    },
  );

  it("frees its memory once its entries have expired", async () => {
    const lru = await openLru();
    const { store } = calls(lru, { tier: "working" });
    for (let at = 0; at < 50; at++) await store([{ key: "k", ttl: 1 }], { session: `s${at}` });
    expect(lru.plugin.stats!().partitions).toBe(50);
    lru.clock.advance(2);
    await lru.plugin.maintain!();
    expect(lru.plugin.stats!()).toMatchObject({ partitions: 0, partition_bytes: 0, lru_bytes: 0 });
  });
});
