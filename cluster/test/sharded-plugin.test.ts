import { createLruPlugin } from "@membus/plugin-lru";
import { type Clock, MemoryError, systemClock } from "@membus/protocol";
import type { Logger, MemoryPlugin, PluginRetrieveResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { FakeClock } from "../../host/test/fake-clock.js";
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

/** A tier of shards. Their retrieves end with `end`, and their maintenance and closing as `parts` say. */
async function openTier(parts: Partial<MemoryPlugin> = {}, clock: Clock = systemClock) {
  let end: (result?: Error) => void = () => {};
  const log: string[] = [];
  const ended = new Promise<PluginRetrieveResult>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve({ entries: [], total: 0, total_relation: "eq" }));
  });
  let given: Logger | undefined;
  const shardPlugin: Partial<MemoryPlugin> = {
    open: async (services) => {
      given = services.logger;
    },
    onRetrieve: () => ended,
    maintain: async () => void log.push("maintain"),
    stats: () => ({ entries: 3, flushed_at: 7 }),
    close: async () => void log.push("close"),
    ...parts,
  };
  const logger = new RecordingLogger();
  const tier = new ShardedPlugin({
    shardCount: 1,
    manifestOf: (services) => createLruPlugin().manifestFor(services),
    createPlugin: () => shardPlugin as MemoryPlugin,
  });
  await tier.open({ tier: "working", clock, logger, notify: () => {} });
  const hold = new TestHold(1);
  const retrieve = () => tier.onRetrieve(SELECTOR, {} as never);
  return {
    tier,
    hold,
    log,
    logger,
    end,
    retrieve,
    given: () => given!,
    open: (shard = 0) => tier.openShard({ shard, hold }),
  };
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

  it("does not fail if a shard is lost while it is maintained", async () => {
    const maintain = async () => {
      hold.lose("another host has taken it");
      throw new Error("the rows of another owner");
    };
    const { tier, hold, open } = await openTier({ maintain });
    await open();
    await tier.maintain();
    expect(hold.isOwned).toBe(false);
  });

  it("fails if the maintenance of a shard that it owns fails", async () => {
    const { tier, open } = await openTier({ maintain: () => Promise.reject(new Error("EIO")) });
    await open();
    await expect(tier.maintain()).rejects.toThrow("EIO");
  });

  it("maintains other shards while one waits, and that one again once it has ended", async () => {
    let endFirst: (error?: Error) => void = () => {};
    const first = new Promise<void>((resolve, reject) => {
      endFirst = (error) => (error ? reject(error) : resolve());
    });
    const clock = new FakeClock();
    const calls: string[] = [];
    const maintain = () => (calls.push("maintain") === 1 ? first : Promise.resolve());
    const { tier, open, logger } = await openTier({ maintain }, clock);
    for (const shard of [0, 1]) await open(shard);
    const maintenance = tier.maintain();
    await clock.advance(29_999);
    expect(calls).toHaveLength(1);
    const late = { code: "unavailable", message: expect.stringContaining("shard 0 has not ended after 30") };
    const failed = expect(maintenance).rejects.toMatchObject(late);
    await clock.advance(1);
    await failed;
    expect(calls).toHaveLength(2);
    await expect(tier.maintain()).rejects.toMatchObject(late);
    expect(calls).toHaveLength(3);
    endFirst(new Error("the log is closed"));
    await expect.poll(() => logger.messages("warn")).toEqual(["maintenance of a shard failed"]);
    await tier.maintain();
    expect(calls).toHaveLength(5);
  });

  it("logs the failures of a shard as information once it is lost", async () => {
    const { hold, logger, open, given } = await openTier();
    await open();
    const failures = ["warn", "error"] as const;
    for (const level of failures) given()[level]({}, `an owner's ${level}`);
    hold.lose("another host has taken it");
    for (const level of [...failures, "debug"] as const) given()[level]({}, `a lost ${level}`);
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "an owner's warn"],
      ["error", "an owner's error"],
      ["info", "a lost warn"],
      ["info", "a lost error"],
      ["debug", "a lost debug"],
    ]);
  });

  it("closes a lost shard although its last rows cannot be written", async () => {
    const { tier, hold, logger, open } = await openTier({ close: () => Promise.reject(new Error("EIO")) });
    await open();
    hold.lose("another host has taken it");
    await tier.closeShard(0);
    expect(logger.lines.map(({ level, fields }) => [level, fields.err])).toEqual([
      ["info", new Error("EIO")],
    ]);
    await tier.openShard({ shard: 1, hold: new TestHold(2) });
    await expect(tier.closeShard(1)).rejects.toThrow("EIO");
  });

  it("adds the statistics of its shards, and takes the latest times", async () => {
    const { tier, open } = await openTier();
    await open();
    await tier.openShard({ shard: 1, hold: new TestHold(1) });
    expect(tier.stats()).toEqual({ entries: 6, flushed_at: 7, shards: 2, shard_count: 1 });
    expect([tier.statsOf(1), tier.statsOf(2)]).toEqual([{ entries: 3, flushed_at: 7 }, undefined]);
  });

  it("does not count a shard that is lost and not closed yet", async () => {
    const { tier, hold, open } = await openTier();
    await open();
    hold.lose("another host has taken it");
    expect(tier.stats()).toEqual({ shards: 0, shard_count: 1 });
  });
});
