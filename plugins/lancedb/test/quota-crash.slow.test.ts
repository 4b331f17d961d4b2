import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { runUntilKilled } from "./killed-child.js";
import { openWithQuotas, outcomeOf } from "./quotas-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=100 runs a longer test. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 5);
const FULL = 50;
/**
 * Milliseconds after which entries with a lifetime have expired. None expires between a store and its check.
 */
const EXPIRED_MS = 300;
const fixture = new StorageFixture();
afterEach(() => fixture.end());

it("a process killed at its quota accepts exactly the entries missing up to the quota", async () => {
  const directory = await fixture.directory();
  let next = 0;
  let fullCount = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const delayMs = randomInt(0, 60);
    await runUntilKilled("quota-child.ts", [directory, String(next)], (line, killAfter) => {
      if (line === "full") fullCount++;
      if (line.startsWith("round")) next = Number(line.split(" ")[1]) + 1;
      if (line === "full" || line === `round ${next + 20}`) killAfter(delayMs);
    });
    await wait(EXPIRED_MS);
    const { plugin, of } = await openWithQuotas(directory, { quotas: { agent: { entries: FULL } } });
    try {
      const entries = Array.from({ length: FULL + 10 }, (_, n) => ({ key: `new ${n}` }));
      const { receipts, errors } = await of({ namespace: "new" }).store(entries, { id: randomUUID() });
      const { total } = await of({ namespace: "**" }).retrieve({ limit: 0 });
      const what = `round ${round}, killed after ${delayMs} ms, ${receipts.length} stored`;
      expect([total, receipts.length + errors.length], what).toEqual([FULL, FULL + 10]);
      expect(plugin.stats().quota_entries, what).toBe(FULL);
      await of({ namespace: "**" }).forget({}, { id: randomUUID() });
      expect(plugin.stats(), what).toMatchObject({ quota_entries: 0, quota_bytes: 0, quota_namespaces: 0 });
      expect(outcomeOf(await of().store([{ key: "again" }], { id: randomUUID() })), what).toBe("created");
    } finally {
      await plugin.close();
    }
  }
  expect(fullCount, "stores refused before a kill").toBeGreaterThan(0);
});
