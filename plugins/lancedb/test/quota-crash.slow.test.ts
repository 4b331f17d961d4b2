import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { FILE_CHANGES, lastNumber, runUntilKilled } from "../../disk/test/killed-child.js";
import { openWithQuotas, outcomeOf } from "./quotas-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("quota-child.ts", import.meta.url);
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
  for (const fileChange of FILE_CHANGES.slice(0, 5)) {
    const lines = await runUntilKilled(CHILD, [directory, String(next)], { after: "full", fileChange });
    expect(lines).toContain("full");
    next = lastNumber(lines, "round", next - 1) + 1;
    await wait(EXPIRED_MS);
    const { plugin, of } = await openWithQuotas(directory, { quotas: { agent: { entries: FULL } } });
    try {
      const entries = Array.from({ length: FULL + 10 }, (_, n) => ({ key: `new ${n}` }));
      const { receipts, errors } = await of({ namespace: "new" }).store(entries, { id: randomUUID() });
      const { total } = await of({ namespace: "**" }).retrieve({ limit: 0 });
      const what = `killed at file change ${fileChange}, ${receipts.length} stored`;
      expect([total, receipts.length + errors.length], what).toEqual([FULL, FULL + 10]);
      expect(plugin.stats().quota_entries, what).toBe(FULL);
      await of({ namespace: "**" }).forget({}, { id: randomUUID() });
      expect(plugin.stats(), what).toMatchObject({ quota_entries: 0, quota_bytes: 0, quota_namespaces: 0 });
      expect(outcomeOf(await of().store([{ key: "again" }], { id: randomUUID() })), what).toBe("created");
    } finally {
      await plugin.close();
    }
  }
});
