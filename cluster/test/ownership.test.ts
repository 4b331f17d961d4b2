import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { turn } from "../../host/test/fake-clock.js";
import { recordingLogger } from "../../plugins/disk/test/log-fixture.js";
import type { ClusterBucket } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { type TestHost, TestHosts } from "./test-hosts.js";

let fixture: ClusterFixture;
let bucket: ClusterBucket;
let hosts: TestHosts;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());

beforeEach(async () => {
  bucket = await fixture.openBucket();
  hosts = new TestHosts(bucket);
});

/** Starts the second host after the first one owns all shards, so that the epochs do not depend on chance. */
async function startInTurn(first: string, second: string): Promise<[TestHost, TestHost]> {
  const owner = hosts.start({ host: first });
  await hosts.advance(300);
  return [owner, hosts.start({ host: second })];
}

/** Waits until `count` requests are held, then lets them go. */
function barrier(count: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === count) for (const go of waiting) go();
    });
}

describe("a host", () => {
  it("takes all shards of a new cluster", async () => {
    const a = hosts.start({ host: "a" });
    await hosts.advance(300);
    expect(a.events).toEqual(["+0@1", "+1@1", "+2@1", "+3@1"]);
    expect(hosts.owners()).toEqual([[0], [0], [0], [0]]);
  });

  it("owns its shards as long as it renews its lease", async () => {
    const a = hosts.start({ host: "a" });
    await hosts.advance(60_000);
    expect(a.events).toEqual(["+0@1", "+1@1", "+2@1", "+3@1"]);
    expect(a.ownership.epochOf(0)).toBe(1);
  });

  it("refuses a request for a shard that it does not own in this epoch", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    a.ownership.mustOwn(0, 1);
    const refusal = { code: "unavailable", detail: { reason: "shard_moved", retry_after_ms: 100 } };
    expect(() => a.ownership.mustOwn(0, 2)).toThrow(expect.objectContaining(refusal));
    expect(() => a.ownership.mustOwn(1, 1)).toThrow(expect.objectContaining(refusal));
  });

  it("loses a shard that another epoch has written to", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    a.ownership.lose(0, 7, "an earlier epoch");
    expect(a.ownership.epochOf(0)).toBe(1);
    a.ownership.lose(0, 1, "refused");
    expect(a.ownership.epochOf(0)).toBeUndefined();
    expect(a.events).toEqual(["+0@1", "-0@1"]);
  });

  it.each([
    [{ leaseMs: 999 }, "leaseMs must be an integer of 1000..120000, got 999"],
    [{ shardCount: 0 }, "shardCount must be an integer of 1..256, got 0"],
    [{ pollMs: 19 }, "pollMs must be an integer of 20..10000, got 19"],
  ])("refuses %j", (options, message) => {
    expect(() => hosts.start({ host: "a", ...options })).toThrow(new TypeError(message));
  });
});

describe("two candidates for one record", () => {
  it("get one owner", async () => {
    const pair = [hosts.start({ host: "a", shardCount: 1 }), hosts.start({ host: "b", shardCount: 1 })];
    const atLease = barrier(2);
    const atShard = barrier(2);
    for (const { link } of pair) {
      const steps = [atLease, atShard];
      link.before = (method) => (method === "write" ? (steps.shift()?.() ?? Promise.resolve()) : turn());
    }
    await hosts.advance(50);
    await hosts.advance(50);
    expect(pair.flatMap(({ events }) => events)).toEqual(["+0@1"]);
    expect(hosts.owners(1).flat()).toHaveLength(1);
  });

  it("get one owner after the old one is silent", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    const others = [hosts.start({ host: "b", shardCount: 1 }), hosts.start({ host: "c", shardCount: 1 })];
    await hosts.advance(300);
    a.link.before = () => new Promise(() => {});
    await hosts.advance(15_000);
    expect(others.flatMap(({ events }) => events)).toEqual(["+0@2"]);
  });
});

describe("servers that answer nothing for nine seconds", () => {
  it("move no shard, also if the last renewal of a host was three seconds old", async () => {
    const [a, b] = await startInTurn("a", "b");
    await hosts.advance(2_000);
    const events = [[...a.events], [...b.events]];
    const fail = () => Promise.reject(new Error("no leader"));
    const failWrites = (method: string) => (method === "write" ? fail() : Promise.resolve());
    a.link.before = failWrites;
    await hosts.advance(3_000);
    for (const { link } of [a, b]) link.before = fail;
    await hosts.advance(9_000);
    expect(hosts.owners().flat()).toEqual([]);
    b.link.before = () => Promise.resolve();
    a.link.before = failWrites;
    await hosts.advance(2_000);
    a.link.before = () => Promise.resolve();
    await hosts.advance(20_000);
    expect([a.events, b.events]).toEqual(events);
    expect(hosts.owners().flat()).toHaveLength(4);
  });
});

describe("a hand-over", () => {
  it("gives a host that joins the shards that it should own, without two owners at a time", async () => {
    const a = hosts.start({ host: "a" });
    await hosts.advance(300);
    const b = hosts.start({ host: "b" });
    for (let passed = 0; passed < 1_500; passed += 50) {
      await hosts.advance(50);
      for (const owners of hosts.owners()) expect(owners.length).toBeLessThanOrEqual(1);
    }
    expect(a.events.slice(4)).toEqual([">1@1", ">2@1"]);
    expect(b.events).toEqual(["+1@2", "+2@2"]);
    expect(hosts.owners()).toEqual([[0], [1], [1], [0]]);
  });

  it("keeps the owner until its flush has ended", async () => {
    const a = hosts.start({ host: "a" });
    await hosts.advance(300);
    let flushed: () => void = () => {};
    a.flush = new Promise((resolve) => {
      flushed = resolve;
    });
    hosts.start({ host: "b" });
    await hosts.advance(20_000);
    expect(hosts.owners()).toEqual([[0], [0], [0], [0]]);
    flushed();
    await hosts.advance(600);
    expect(hosts.owners()).toEqual([[0], [1], [1], [0]]);
  });

  it("comes before a host stops", async () => {
    const [a, b] = await startInTurn("a", "b");
    await hosts.advance(2_000);
    a.events.length = 0;
    b.events.length = 0;
    await hosts.during(a.ownership.stop());
    await hosts.advance(300);
    expect(a.events).toEqual([">0@1", ">3@1"]);
    expect(b.events).toEqual(["+0@2", "+3@2"]);
    expect(hosts.owners()).toEqual([[1], [1], [1], [1]]);
  });

  it("of the last host lets the next one begin without waiting", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    await hosts.during(a.ownership.stop());
    const b = hosts.start({ host: "b", shardCount: 1 });
    await hosts.advance(300);
    expect([a.events, b.events]).toEqual([["+0@1", ">0@1"], ["+0@2"]]);
  });
});

describe("a warning", () => {
  it.each([
    ["next", "a step of ownership failed, trying again", { task: "read the records of the cluster" }],
    ["write", "renewal of the host's lease failed, trying again", {}],
  ])("of a failed `%s` of the bucket comes once while it repeats", async (failing, message, fields) => {
    const logger = recordingLogger();
    const { link } = hosts.start({ host: "a" }, hosts.clock, logger);
    await hosts.advance(300);
    const fail = async (method: string) => {
      if (method === failing) throw new Error("no answer");
    };
    for (const before of [fail, async () => {}, fail]) {
      link.before = before;
      await hosts.advance(5_000);
    }
    const warning = { fields: { err: new Error("no answer"), ...fields }, message };
    expect(logger.warnings).toEqual([warning, warning]);
  });

  it("comes once when the lease of the host runs out", async () => {
    const logger = recordingLogger();
    const { link } = hosts.start({ host: "a" }, hosts.clock, logger);
    await hosts.advance(300);
    link.before = async () => {
      throw new Error("no answer");
    };
    await hosts.advance(20_000);
    const message = "the host's lease has run out, its shards answer again after a renewal";
    expect(logger.warnings.at(-1)).toEqual({ fields: { host: "a" }, message });
    expect(logger.warnings).toHaveLength(3);
  });

  it("of a silent host comes when its lease was ended", async () => {
    const first = hosts.start({ host: "a" });
    await hosts.advance(300);
    first.link.before = () => new Promise(() => {});
    const logger = recordingLogger();
    const refused = vi.spyOn(bucket, "write").mockResolvedValue(undefined);
    const { events } = hosts.start({ host: "b" }, hosts.clock, logger);
    await hosts.advance(20_000);
    expect([events, logger.warnings]).toEqual([[], []]);
    refused.mockRestore();
    await hosts.advance(2_000);
    expect(events).toHaveLength(4);
    expect(logger.warnings).toEqual([
      { fields: { host: "a" }, message: "a host did not renew its lease, taking its shards" },
    ]);
  });
});

describe("records of hosts", () => {
  it("let a second process of the same name wait until the first is silent", async () => {
    const first = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    const logger = recordingLogger();
    const second = hosts.start({ host: "a", shardCount: 1 }, hosts.clock, logger);
    await hosts.advance(30_000);
    const waiting =
      "another process has this host's name, waiting for the end of its lease. If it runs on, give this host another name";
    expect(logger.warnings).toEqual([{ fields: { host: "a" }, message: waiting }]);
    expect(second.events).toEqual([]);
    first.link.before = () => new Promise(() => {});
    await hosts.advance(15_000);
    expect([first.events, second.events]).toEqual([["+0@1"], ["+0@2"]]);
    expect(hosts.owners(1)).toEqual([[1]]);
    await hosts.advance(16_000);
    expect(first.events).toEqual(["+0@1", "-0@1"]);
  });

  it("are removed some time after the host stopped", async () => {
    const [a] = await startInTurn("a", "b");
    await hosts.advance(2_000);
    await hosts.during(a.ownership.stop());
    await hosts.advance(2_000);
    expect(await bucket.get("own.host.a")).toBeDefined();
    await hosts.advance(100_000);
    expect(await bucket.get("own.host.a")).toBeUndefined();
    const again = hosts.start({ host: "a" });
    await hosts.advance(2_000);
    expect(again.events).toEqual(["+0@3", "+3@3"]);
  });
});
