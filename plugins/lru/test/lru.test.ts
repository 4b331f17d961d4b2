import { parseOptions } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import type { ScopeFields } from "../../kit/test/kit-requests.js";
import { beBusy, observed } from "../../kit/test/neighbours.js";
import { createLruPlugin, LRU_DEFAULTS, type LruOptions, LruOptionsSchema } from "../src/index.js";
import { openLru } from "./lru-fixture.js";

const WORKING: ScopeFields = { tier: "working" };

async function filled(options: LruOptions, keys: readonly string[]) {
  const lru = await openLru(options);
  const requests = calls(lru, WORKING);
  for (const key of keys) await requests.store([{ key, content: key }]);
  const names = async (place: ScopeFields = {}) => {
    const { entries } = await requests.retrieve({ order: "oldest" }, place);
    return entries.map(({ content }) => content);
  };
  return { ...lru, ...requests, names };
}

describe("the limit of a scope", () => {
  it("evicts the least recently stored entry, and reports it under its author", async () => {
    const { names, changes, store } = await filled({ scopeEntriesMax: 3 }, ["a", "b", "c"]);
    const { receipts } = await store([{ key: "d", content: "d", tags: ["t"] }]);
    expect(receipts[0]!.outcome).toBe("created");
    expect(changes).toEqual([
      expect.objectContaining({ action: "evicted", key: { name: "a" }, agent: "alice", author: "alice" }),
    ]);
    expect(await names()).toEqual(["b", "c", "d"]);
  });

  it("keeps entries that were read, updated, or stored again unchanged", async () => {
    const { names, entry, store } = await filled({ scopeEntriesMax: 4 }, ["a", "b", "c", "d"]);
    await entry("a");
    await store([{ key: "b", content: "b2" }]);
    await store([{ key: "c", content: "c" }]);
    await store([{ key: "e", content: "e" }]);
    expect(await names()).toEqual(["a", "b2", "c", "e"]);
  });

  it("is not affected by entries that a retrieve found but did not return", async () => {
    const { names, retrieve, store } = await filled({ scopeEntriesMax: 3 }, ["a", "b", "c"]);
    await retrieve({ limit: 1, order: "oldest" });
    await retrieve({ limit: 0 });
    await store([{ key: "d", content: "d" }]);
    expect(await names()).toEqual(["a", "c", "d"]);
  });

  it("applies to a batch that exceeds it: the last entries stay", async () => {
    const { names, store } = await filled({ scopeEntriesMax: 2 }, ["a"]);
    await store(["b", "c", "d"].map((key) => ({ key, content: key })));
    expect(await names()).toEqual(["c", "d"]);
  });

  it("also counts bytes", async () => {
    const { plugin, store, names } = await filled({ scopeBytesMax: 64 * 1024 }, ["small"]);
    const content = "x".repeat(19_000);
    for (const key of ["1", "2", "3"]) await store([{ key, content: key + content }]);
    expect(await names()).toEqual(["small", ...["1", "2", "3"].map((key) => key + content)]);
    await store([{ key: "4", content: `4${content}` }]);
    expect(await names()).toEqual(["2", "3", "4"].map((key) => key + content));
    expect(plugin.stats!()).toMatchObject({ lru_entries: 3, lru_scopes: 1 });
  });

  it("applies to one session and namespace", async () => {
    const { store, retrieve } = await filled({ scopeEntriesMax: 1 }, ["a"]);
    for (const place of [{ session: "s2" }, { namespace: "other" }, { agent: "bob" }])
      await store([{ key: "a" }], place);
    expect((await retrieve()).total).toBe(1);
    expect((await retrieve({}, { session: "s2" })).total).toBe(1);
  });
});

describe("the limit of all scopes", () => {
  it("evicts from the largest scope, whichever agent stores", async () => {
    const { changes, names, store } = await filled({ entriesMax: 6 }, ["a", "b", "c", "d"]);
    const small = { session: "s2" };
    await store([{ key: "x", content: "x" }], small);
    await store([{ key: "y", content: "y" }], small);
    expect(changes).toEqual([]);
    await store([{ key: "z", content: "z" }], small);
    expect(await names()).toEqual(["b", "c", "d"]);
    expect(await names(small)).toEqual(["x", "y", "z"]);
  });

  it("also counts bytes", async () => {
    const { store, names, changes } = await filled({ bytesMax: 64 * 1024 }, ["a", "b"]);
    const content = "x".repeat(30_000);
    await store([{ key: "large", content }], { session: "s2" });
    await store([{ key: "larger", content }], { session: "s2" });
    await store([{ key: "c", content: "c".repeat(5_000) }]);
    expect(changes.map(({ key }) => key)).toEqual([{ name: "large" }]);
    expect(await names()).toEqual(["a", "b", "c".repeat(5_000)]);
  });

  it("is kept within a few percent if it is large", async () => {
    const { plugin, store } = await filled({ entriesMax: 1_000 }, []);
    for (let batch = 0; batch < 20; batch++) {
      const entries = Array.from({ length: 100 }, (_, at) => ({ key: `k${batch}-${at}` }));
      await store(entries, { session: `s${batch % 7}` });
      const { lru_entries } = plugin.stats!();
      expect(lru_entries).toBeLessThanOrEqual(1_000);
      if (batch >= 10) expect(lru_entries).toBeGreaterThanOrEqual(990);
    }
  });
});

describe("expiring entries", () => {
  it("expire by ttl, are reported once, and free space", async () => {
    const { plugin, clock, store, names, changes } = await filled({ scopeEntriesMax: 3 }, ["a"]);
    await store([{ key: "b", content: "b", ttl: 5 }]);
    clock.advance(4.9);
    expect(await names()).toEqual(["a", "b"]);
    clock.advance(0.1);
    await plugin.maintain!();
    expect(changes).toEqual([
      expect.objectContaining({ action: "expired", key: { name: "b" }, agent: "alice" }),
    ]);
    expect(plugin.stats!()).toMatchObject({ lru_entries: 1 });
    for (const key of ["c", "d"]) await store([{ key, content: key }]);
    expect(await names()).toEqual(["a", "c", "d"]);
  });

  it("include all namespaces of an unused session", async () => {
    const { plugin, clock, store, retrieve, changes } = await filled({ idleS: 100 }, ["a"]);
    await store([{ key: "b" }], { namespace: "other" });
    await store([{ key: "c" }], { session: "s2" });
    clock.advance(60);
    await retrieve({ limit: 0 }, { namespace: "other" });
    clock.advance(60);
    await plugin.maintain!();
    expect(changes.map(({ action, key }) => [action, key])).toEqual([["expired", { name: "c" }]]);
    expect((await retrieve({ limit: 0 })).total).toBe(1);
    clock.advance(100);
    await plugin.maintain!();
    expect(changes).toHaveLength(3);
    expect(plugin.stats!()).toMatchObject({
      lru_entries: 0,
      lru_bytes: 0,
      lru_scopes: 0,
      partitions: 0,
      bodies_pinned: 0,
    });
  });

  it("leave no partition, and neither does a retrieve that finds nothing", async () => {
    const { plugin, clock, forget, retrieve } = await filled({}, ["a"]);
    await retrieve({}, { namespace: "empty" });
    expect(plugin.stats!()).toMatchObject({ partitions: 1 });
    clock.advance(1);
    expect(await forget({})).toMatchObject({ deleted: 1, purge: "done" });
    expect(plugin.stats!()).toMatchObject({ partitions: 0, lru_entries: 0, lru_bytes: 0, bodies_pinned: 0 });
  });
});

describe("the working tier", () => {
  it("declares its features", () => {
    expect(createLruPlugin().manifest).toEqual({
      contract: "1.0",
      name: "lru",
      version: "0.1.0",
      features: {
        similarity: true,
        full_text: true,
        ttl: true,
        durable: false,
        erasure: true,
        shared: false,
        conditional: true,
        eviction: true,
        subtree: true,
        agents: true,
        approximate: false,
        queued: true,
        fields: true,
        recency: true,
        diversity: true,
        expand: true,
        explain: true,
        rerank: true,
        context: true,
        absolute: true,
        generations: true,
        list: true,
        sources: true,
        cascade: true,
        purge: true,
        own_only: true,
        snippet: true,
      },
    });
  });

  it("refuses unknown options and values out of range", () => {
    expect(() => createLruPlugin({ entryMax: 1 } as LruOptions)).toThrow("did you mean `entriesMax`?");
    expect(() => parseOptions(LruOptionsSchema, { idleS: 0 })).toThrow(TypeError);
    expect(parseOptions(LruOptionsSchema, { entriesMax: 5 })).toEqual({ ...LRU_DEFAULTS, entriesMax: 5 });
  });

  it("isolates sessions in scores, counts and revisions", async () => {
    const quiet = await openLru();
    const only = await observed({ ...quiet, tier: "working", others: async () => undefined });
    const busy = await openLru();
    const others = (turn: number) => beBusy(busy, "working", turn);
    expect(await observed({ ...busy, tier: "working", others })).toEqual(only);
  });
});
