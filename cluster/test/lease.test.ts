import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestClock } from "./test-clock.js";
import { TestHosts } from "./test-hosts.js";

let fixture: ClusterFixture;
let hosts: TestHosts;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());

beforeEach(async () => {
  hosts = new TestHosts(await fixture.openBucket());
});

/** Holds requests until `release`. */
function gate(): { hold: () => Promise<void>; release: () => void } {
  let release: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold: () => opened, release };
}

describe("a suspended holder", () => {
  it("does not count itself an owner after 0.8 leases, before any timer has run", async () => {
    const own = new TestClock();
    const a = hosts.start({ host: "a", shardCount: 1 }, own);
    await hosts.advance(250, own);
    own.suspend(7_700);
    expect(a.ownership.epochOf(0)).toBe(1);
    own.suspend(300);
    expect(a.ownership.epochOf(0)).toBeUndefined();
    expect(a.events).toEqual(["+0@1"]);
  });

  it("has lost its shards when it goes on, and gets them back in a later epoch", async () => {
    const own = new TestClock();
    const a = hosts.start({ host: "a", shardCount: 1 }, own);
    await hosts.advance(250, own);
    const b = hosts.start({ host: "b", shardCount: 1 });
    await hosts.advance(300);
    own.suspend(25_000);
    await hosts.advance(11_000);
    expect(b.events).toEqual(["+0@2"]);
    await hosts.advance(50, own);
    expect(a.events).toEqual(["+0@1", "-0@1"]);
    for (let passed = 0; passed < 3_000; passed += 50) {
      await hosts.advance(50, own);
      await hosts.advance(50);
      expect(hosts.owners(1).flat().length).toBeLessThanOrEqual(1);
    }
    expect([a.events, b.events]).toEqual([
      ["+0@1", "-0@1", "+0@3"],
      ["+0@2", ">0@2"],
    ]);
  });

  it("keeps its shards if no other host has ended its lease", async () => {
    const own = new TestClock();
    const a = hosts.start({ host: "a", shardCount: 1 }, own);
    await hosts.advance(250, own);
    own.suspend(25_000);
    await hosts.advance(300, own);
    expect(a.events).toEqual(["+0@1"]);
    expect(a.ownership.epochOf(0)).toBe(1);
  });

  it("gives its shards up after three leases, before any timer has run", async () => {
    const own = new TestClock();
    const a = hosts.start({ host: "a", shardCount: 1 }, own);
    await hosts.advance(250, own);
    own.suspend(31_000);
    expect(a.ownership.keeps(0, 1)).toBe(false);
    expect(a.events).toEqual(["+0@1", "-0@1"]);
  });

  it("is not followed before a whole lease has passed", async () => {
    const own = new TestClock();
    hosts.start({ host: "a", shardCount: 1 }, own);
    await hosts.advance(250, own);
    const b = hosts.start({ host: "b", shardCount: 1 });
    await hosts.advance(10_000);
    expect(b.events).toEqual([]);
    await hosts.advance(1_000);
    expect(b.events).toEqual(["+0@2"]);
  });
});

describe("a renewal", () => {
  it("that is slow does not cost the lease within its bound", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    const { hold, release } = gate();
    a.link.before = hold;
    await hosts.advance(7_500);
    a.link.before = () => Promise.resolve();
    release();
    await hosts.advance(20_000);
    expect(a.events).toEqual(["+0@1"]);
    expect(a.ownership.epochOf(0)).toBe(1);
  });

  it("that ends after the bound is renewed before the lease counts again", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    const { hold, release } = gate();
    a.link.after = hold;
    await hosts.advance(9_500);
    expect(a.ownership.epochOf(0)).toBeUndefined();
    a.link.after = () => new Promise(() => {});
    release();
    await hosts.settle();
    expect(a.ownership.epochOf(0)).toBeUndefined();
    expect(a.events).toEqual(["+0@1"]);
  });

  it("of an earlier lease does not change the next one", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    const { hold, release } = gate();
    let isHeld = false;
    a.link.after = (method) => {
      if (method !== "write" || isHeld) return Promise.resolve();
      isHeld = true;
      return hold();
    };
    await hosts.advance(32_000);
    expect(a.events).toEqual(["+0@1", "-0@1", "+0@2"]);
    release();
    await hosts.advance(2_000);
    expect(a.events).toEqual(["+0@1", "-0@1", "+0@2"]);
  });

  it("that is late brings the shards back in the same epoch", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    a.link.before = () => Promise.reject(new Error("no answer"));
    await hosts.advance(8_500);
    expect(a.ownership.epochOf(0)).toBeUndefined();
    let isOwned = false;
    const owned = a.ownership.untilOwned(0, 1).then(() => {
      isOwned = true;
    });
    await hosts.advance(10_000);
    expect(isOwned).toBe(false);
    a.link.before = () => Promise.resolve();
    await hosts.during(owned);
    expect([a.events, a.ownership.epochOf(0)]).toEqual([["+0@1"], 1]);
  });

  it("that is missing for three leases costs the shards", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    a.link.before = () => Promise.reject(new Error("no answer"));
    await hosts.advance(20_000);
    const lost = expect(a.ownership.untilOwned(0, 1)).rejects.toMatchObject({ code: "unavailable" });
    await hosts.during(lost);
    expect(a.events).toEqual(["+0@1", "-0@1"]);
  });

  it("that is missing costs the shards within one lease if the host stops", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    a.flush = new Promise(() => {});
    a.link.before = () => Promise.reject(new Error("no answer"));
    void a.ownership.stop();
    await hosts.advance(8_000);
    expect(a.events).toEqual(["+0@1", ">0@1", "-0@1"]);
  });

  it("that is done late does not undo the take-over", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    const b = hosts.start({ host: "b", shardCount: 1 });
    await hosts.advance(300);
    const { hold, release } = gate();
    a.link.before = hold;
    await hosts.advance(15_000);
    expect(b.events).toEqual(["+0@2"]);
    release();
    await hosts.settle();
    expect(hosts.owners(1)).toEqual([[1]]);
  });

  it("without an answer is found to be done", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    let lostCount = 0;
    a.link.after = (method) => {
      if (method !== "write" || lostCount === 2) return Promise.resolve();
      lostCount += 1;
      return Promise.reject(new Error("the answer is lost"));
    };
    await hosts.advance(30_000);
    expect([lostCount, a.events]).toEqual([2, ["+0@1"]]);
  });

  it("is repeated while the servers do not answer", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    await hosts.advance(300);
    a.link.before = () => Promise.reject(new Error("no answer"));
    await hosts.advance(7_000);
    a.link.before = () => Promise.resolve();
    await hosts.advance(30_000);
    expect(a.events).toEqual(["+0@1"]);
  });
});

describe("an update of a shard's record", () => {
  it("without an answer is made again in the next epoch", async () => {
    const a = hosts.start({ host: "a", shardCount: 1 });
    let writeCount = 0;
    a.link.after = (method) => {
      if (method === "write") writeCount += 1;
      const isShard = method === "write" && writeCount === 2;
      return isShard ? Promise.reject(new Error("the answer is lost")) : Promise.resolve();
    };
    await hosts.advance(1_000);
    expect(a.events).toEqual(["+0@2"]);
  });
});
