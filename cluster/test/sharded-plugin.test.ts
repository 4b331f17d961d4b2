import { createLruPlugin } from "@membus/plugin-lru";
import { MemoryError, silentLogger, systemClock } from "@membus/protocol";
import type { MemoryPlugin, PluginRetrieveResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { ShardedPlugin } from "../src/index.js";
import { TestHold } from "./test-hold.js";

const SELECTOR = {
  tier: "working",
  tenant: "default",
  agent: "alice",
  session: "",
  namespace: "notes",
} as never;
const MOVED = { code: "unavailable", detail: { reason: "shard_moved", retry_after_ms: 100 } };

/** A tier of one shard. Its retrieves end with `end`. */
async function openTier() {
  let end: (result?: Error) => void = () => {};
  const log: string[] = [];
  const ended = new Promise<PluginRetrieveResult>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve({ entries: [], total: 0, total_relation: "eq" }));
  });
  const shardPlugin: Partial<MemoryPlugin> = {
    onRetrieve: () => ended,
    maintain: async () => void log.push("maintain"),
    stats: () => ({ entries: 3, flushed_at: 7 }),
    close: async () => void log.push("close"),
  };
  const tier = new ShardedPlugin({
    shardCount: 1,
    manifestOf: (services) => createLruPlugin().manifestFor(services),
    createPlugin: () => shardPlugin as MemoryPlugin,
  });
  await tier.open({ tier: "working", clock: systemClock, logger: silentLogger, notify: () => {} });
  const hold = new TestHold(1);
  const retrieve = () => tier.onRetrieve(SELECTOR, {} as never);
  return { tier, hold, log, end, retrieve, open: () => tier.openShard({ shard: 0, hold }) };
}

describe("a tier of shards", () => {
  it("refuses a request for a shard that is not open", async () => {
    const { retrieve } = await openTier();
    await expect(retrieve()).rejects.toMatchObject(MOVED);
  });

  it.each([
    ["the result", undefined],
    ["the error", new TypeError("the log is closed")],
  ])("withholds %s of a call during which the shard was lost", async (_, error) => {
    const { hold, open, retrieve, end } = await openTier();
    await open();
    const result = retrieve();
    hold.lose("another host has taken it");
    end(error);
    await expect(result).rejects.toMatchObject({ code: "unavailable", message: "the shard is lost" });
  });

  it("closes a shard after its last call", async () => {
    const { tier, log, open, retrieve, end } = await openTier();
    await open();
    const result = retrieve();
    const closing = tier.closeShard(0);
    await expect(retrieve()).rejects.toMatchObject(MOVED);
    expect(log).toEqual([]);
    end();
    await closing;
    expect(log).toEqual(["close"]);
    expect((await result).total).toBe(0);
  });

  it("closes a shard that is lost while it is opened", async () => {
    const { hold, log, open } = await openTier();
    hold.lose("another host has taken it");
    await expect(open()).rejects.toThrow(MemoryError);
    expect(log).toEqual(["close"]);
  });

  it("maintains the shards that it owns", async () => {
    const { tier, hold, log, open } = await openTier();
    await open();
    await tier.maintain();
    hold.lose("another host has taken it");
    await tier.maintain();
    expect(log).toEqual(["maintain"]);
  });

  it("adds the statistics of its shards, and takes the latest times", async () => {
    const { tier, open } = await openTier();
    await open();
    await tier.openShard({ shard: 1, hold: new TestHold(1) });
    expect(tier.stats()).toEqual({ entries: 6, flushed_at: 7, shards: 2 });
    expect([tier.statsOf(1), tier.statsOf(2)]).toEqual([{ entries: 3, flushed_at: 7 }, undefined]);
  });
});
