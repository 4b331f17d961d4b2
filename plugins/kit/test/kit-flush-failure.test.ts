import type { PluginRetrieveResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import type { Storage } from "../src/index.js";
import { type Fault, faultyStorage } from "./faulty-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

async function faultyKit(options = {}) {
  const faults: Fault[] = [];
  const kit = await TestKit.open({
    options: { flushIdleMs: 10, ...options },
    wrapStorage: (storage): Storage => faultyStorage(storage, faults),
  });
  return { kit, faults, ...calls(kit) };
}

function revisionsOf({ entries }: PluginRetrieveResult): number[] {
  return entries.map(({ revision }) => revision);
}

const FAULTS: readonly Fault[] = (["append", "remove", "sync"] as const).flatMap((method) => [
  { method, after: false },
  { method, after: true },
]);

describe("a storage that fails during a flush", () => {
  for (const fault of FAULTS) {
    const when = fault.after ? "after" : "before";
    it(`is written again after ${fault.method} failed ${when} its effect, without duplicate rows`, async () => {
      const { kit, faults, store, forget, retrieve } = await faultyKit();
      await store([{ key: "a", content: "old" }, { key: "b" }, { key: "c" }]);
      await kit.flush();
      await store([{ key: "a", content: "new" }, { key: "d" }]);
      await forget({ keys: ["b"] });
      const before = revisionsOf(await retrieve());
      faults.push({ ...fault }, { ...fault });
      await expect(kit.plugin.maintain()).rejects.toThrow(`${fault.method} failed`);
      await expect(kit.plugin.maintain()).rejects.toThrow(`${fault.method} failed`);
      expect(revisionsOf(await retrieve())).toEqual(before);
      await kit.plugin.maintain();
      expect(revisionsOf(await retrieve())).toEqual(before);
      expect(kit.storage.rowIds).toHaveLength(3);
      expect(new Set(kit.storage.rowIds).size).toBe(3);
      await kit.reopen();
      expect(revisionsOf(await retrieve())).toEqual(before);
    });
  }

  it("fails only the request that needs it", async () => {
    const { kit, faults, store, retrieve, entry } = await faultyKit({ preloadCount: 0 });
    await store([{ key: "a", content: "one" }]);
    await kit.reopen();
    faults.push({ method: "load", after: false });
    await expect(retrieve()).rejects.toThrow("load failed");
    faults.push({ method: "readBodies", after: false });
    await expect(retrieve()).rejects.toThrow("readBodies failed");
    expect((await entry("a"))?.content).toBe("one");
  });

  it("is retried in the background", async () => {
    const { kit, faults, store } = await faultyKit();
    await store([{ key: "a" }]);
    faults.push({ method: "append", after: false }, { method: "append", after: true });
    await kit.flush();
    const errors = kit.logger.reports.filter(({ level }) => level === "error");
    expect(errors.map(({ message }) => message)).toEqual(
      Array.from({ length: 2 }, () => "flush failed, the entries stay in the log and the flush is retried"),
    );
    expect(kit.storage.rowIds).toHaveLength(1);
  });

  it("keeps everything in the log: a crash before the retry loses nothing", async () => {
    const { kit, faults, store, retrieve } = await faultyKit();
    await store([{ key: "a", content: "one" }]);
    faults.push({ method: "append", after: true });
    await expect(kit.plugin.maintain()).rejects.toThrow("append failed after its effect");
    await kit.crash();
    expect((await retrieve()).entries.map(({ content }) => content)).toEqual(["one"]);
    await kit.flush();
    expect(kit.storage.rowIds).toHaveLength(1);
  });
});

/** More faults than flushes. */
const DOWN = Array.from({ length: 100 }, (): Fault => ({ method: "append", after: false }));

describe("a backlog that storage does not accept", () => {
  it("refuses stores as overloaded above its limit, and accepts them again after a flush", async () => {
    const { kit, faults, store, retrieve } = await faultyKit({ backlogCountMax: 10 });
    faults.push(...DOWN);
    for (let at = 0; at < 10; at++) await store([{ key: `k${at}` }]);
    await expect(store([{ key: "k10" }])).rejects.toMatchObject({
      code: "overloaded",
      detail: { retry_after_ms: 500, limit: "backlog", max: 10 },
    });
    await expect(kit.plugin.maintain()).rejects.toThrow("append failed");
    await expect(store([{ key: "k10" }])).rejects.toMatchObject({ code: "overloaded" });
    faults.length = 0;
    await kit.plugin.maintain();
    await store([{ key: "k10" }]);
    expect((await retrieve({ limit: 0 })).total).toBe(11);
  });

  it("counts records without rows", async () => {
    const { store, faults } = await faultyKit({ backlogCountMax: 3 });
    faults.push(...DOWN);
    const unchanged = [{ key: "k", content: "same" }];
    for (let at = 0; at < 3; at++) await store(unchanged);
    await expect(store(unchanged)).rejects.toMatchObject({ code: "overloaded" });
  });
});
