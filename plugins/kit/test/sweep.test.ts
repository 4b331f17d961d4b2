import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Fault, faultyStorage } from "./faulty-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

afterEach(() => {
  vi.restoreAllMocks();
});

async function openKit(faults: Fault[] = []) {
  const kit = await TestKit.open({
    options: { flushIdleMs: 10 },
    wrapStorage: (storage) => faultyStorage(storage, faults),
  });
  return { kit, faults, ...calls(kit) };
}

async function logHolds({ directory }: TestKit, text: string): Promise<boolean> {
  const names = await readdir(join(directory, "log"));
  const files = await Promise.all(names.map((name) => readFile(join(directory, "log", name))));
  return files.some((bytes) => bytes.includes(text));
}

describe("expired entries", () => {
  it("are neither counted nor returned from their second on, and are removed from storage at the next maintenance", async () => {
    const { kit, store, retrieve } = await openKit();
    await store([{ key: "short", content: "s", ttl: 10, tags: ["t"], group: "g" }, { key: "long" }]);
    const end = kit.clock.now() + 10;
    await kit.flush();
    kit.clock.advance(end - 0.001 - kit.clock.now());
    expect((await retrieve()).total).toBe(2);
    kit.clock.advance(end - kit.clock.now());
    expect((await retrieve()).total).toBe(1);
    expect(kit.storage.rowIds).toHaveLength(2);
    await kit.plugin.maintain();
    expect(kit.storage.rowIds).toHaveLength(1);
    expect(kit.changes).toEqual([
      expect.objectContaining({
        action: "expired",
        key: { name: "short" },
        tags: ["t"],
        group: "g",
        agent: "alice",
      }),
    ]);
    await kit.plugin.maintain();
    expect(kit.changes).toHaveLength(1);
  });

  it("of unloaded partitions are found by maintenance", async () => {
    const { kit, store } = await openKit();
    await store([{ key: "short", ttl: 10 }]);
    await kit.reopen();
    kit.clock.advance(10);
    await kit.plugin.maintain();
    expect(kit.storage.rowIds).toEqual([]);
    expect(kit.changes.map(({ action }) => action)).toEqual(["expired"]);
  });

  it("are logged as removed at the next maintenance after a failure", async () => {
    const { kit, faults, store, retrieve } = await openKit();
    await store([{ key: "short", ttl: 10 }]);
    await kit.flush();
    kit.clock.advance(10);
    await retrieve();
    faults.push({ method: "expiredScopes", after: false });
    await expect(kit.plugin.maintain()).rejects.toThrow("expiredScopes failed");
    await kit.plugin.maintain();
    expect(kit.storage.rowIds).toEqual([]);
  });

  it("are not the basis of a store", async () => {
    const { kit, store, entry } = await openKit();
    await store([{ key: "k", content: 1, ttl: 10, metadata: { m: 1 } }]);
    kit.clock.advance(10);
    const { receipts } = await store([{ key: "k", content: 2, if_revision: 0 }]);
    expect(receipts[0]!.outcome).toBe("created");
    expect((await entry("k"))?.metadata).toBeUndefined();
  });
});

describe("maintenance after a forget", () => {
  it("purges storage once, and the log when no retry needs it any more", async () => {
    const { kit, store, forget } = await openKit();
    await kit.plugin.maintain();
    await store([
      { key: "k", content: "a-secret-word" },
      { key: "other", content: "plain-word" },
    ]);
    await kit.plugin.maintain();
    await forget({ keys: ["k"] });
    await kit.plugin.maintain();
    await kit.plugin.maintain();
    expect(kit.storage.maintained).toEqual([
      { purge: true },
      { purge: false },
      { purge: true },
      { purge: false },
    ]);
    expect(await logHolds(kit, "a-secret-word")).toBe(true);
    kit.clock.advance(601);
    await kit.plugin.maintain();
    expect(await logHolds(kit, "a-secret-word")).toBe(false);
    expect((await calls(kit).retrieve()).total).toBe(1);
  });

  it("purges again after a failure, and after a restart", async () => {
    const { kit, faults, store, forget } = await openKit();
    await kit.plugin.maintain();
    await store([{ key: "k" }]);
    await forget({});
    faults.push({ method: "maintain", after: false });
    await expect(kit.plugin.maintain()).rejects.toThrow("maintain failed");
    await kit.plugin.maintain();
    await kit.reopen();
    await kit.plugin.maintain();
    expect(kit.storage.maintained).toEqual([{ purge: true }, { purge: true }, { purge: true }]);
  });

  it("erases the forgotten rows from the indexes", async () => {
    const { kit, store, forget, retrieve } = await openKit();
    await store([
      { key: "k", content: "secret" },
      { key: "other", content: "plain" },
    ]);
    await retrieve({ query: "secret", criteria: { tags: ["t"] } });
    const before = Number(kit.plugin.stats().partition_bytes);
    await forget({ keys: ["k"] });
    await kit.plugin.maintain();
    await retrieve();
    expect(Number(kit.plugin.stats().partition_bytes)).toBeLessThan(before);
    expect((await retrieve({ query: "plain" })).total).toBe(1);
  });
});

describe("scopes", () => {
  it("without entries do not count towards the subtree limit", async () => {
    const { kit, store, retrieve, forget } = await openKit();
    for (let at = 0; at < 257; at++) await store([{ key: "k" }], { namespace: `a/${at}` });
    await expect(retrieve({}, { namespace: "a/**" })).rejects.toMatchObject({
      code: "too_large",
      detail: { limit: "subtreePartitions", max: 256, got: 257 },
    });
    expect(await forget({}, { namespace: "a/**" })).toMatchObject({ deleted: 257 });
    expect((await retrieve({}, { namespace: "a/**" })).total).toBe(0);
    await kit.plugin.maintain();
    await kit.reopen();
    expect((await retrieve({}, { namespace: "a/**" })).total).toBe(0);
  });
});
