import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { openMemoryKit, TestKit } from "./kit-fixture.js";

const NOW = 1_800_000_000;
const HOUR = 3_600;
const YEAR = 31_557_600;
const JUMPS = [
  ["an hour", HOUR],
  ["73 years", 73 * YEAR],
] as const;

/** Opens a durable tier that was in use while the clock was ahead, with the right clock. */
async function afterJump(seconds: number, options = {}): Promise<TestKit> {
  const kit = await TestKit.open({ options });
  kit.clock.advance(seconds);
  await calls(kit).store([{ key: "ahead", content: "from the future" }], { id: "ahead" });
  await kit.plugin.close();
  kit.clock.advance(-seconds);
  await kit.reopen();
  return kit;
}

describe("the replies of a tier that hosts with other clocks serve", () => {
  it.each([
    ["ahead", [HOUR, -HOUR, 0]],
    ["behind", [-HOUR, HOUR, 0]],
  ])("are remembered if the first clock is %s", async (_, jumps) => {
    const kit = await TestKit.open();
    const first = await calls(kit).store([{ key: "a", content: 1 }], { id: "one" });
    for (const [at, jump] of jumps.entries()) {
      await kit.plugin.close();
      kit.clock.advance(jump);
      await kit.reopen();
      await calls(kit).store([{ key: "a", content: `later ${at}` }], { id: `later ${at}` });
      // A purge logs the replies again.
      await calls(kit).forget({ keys: ["none"] }, { purge: true });
      expect(await calls(kit).store([{ key: "a", content: 1 }], { id: "one" })).toEqual(first);
    }
    kit.clock.advance(601);
    await kit.plugin.maintain();
    const later = await calls(kit).store([{ key: "a", content: 1 }], { id: "one" });
    expect(later.receipts).toMatchObject([{ outcome: "updated" }]);
  });
});

it("a reply that was logged again is remembered for its time, also after a restart", async () => {
  const kit = await TestKit.open();
  const { store, forget } = calls(kit);
  const first = await store([{ key: "a", content: 1 }], { id: "one" });
  for (let second = 0; second < 400; second++) {
    kit.clock.advance(1);
    await store([{ key: "b", content: second }]);
  }
  await forget({ keys: ["none"] }, { purge: true });
  await kit.reopen();
  expect(await calls(kit).store([{ key: "a", content: 1 }], { id: "one" })).toEqual(first);
});

it("a reply that was logged again is forgotten in its time, also after a restart", async () => {
  const kit = await TestKit.open();
  const { store, forget } = calls(kit);
  await store([{ key: "a", content: 1 }], { id: "one" });
  kit.clock.advance(400);
  await forget({ keys: ["none"] }, { purge: true });
  await kit.reopen();
  await calls(kit).store([{ key: "a", content: 2 }]);
  kit.clock.advance(201);
  await kit.plugin.maintain();
  const again = await calls(kit).store([{ key: "a", content: 1 }], { id: "one" });
  expect(again.receipts).toMatchObject([{ outcome: "updated" }]);
});

describe.each(JUMPS)("a durable tier with a clock that was %s ahead", (_, seconds) => {
  it("keeps a new entry for its time to live, and no longer", async () => {
    const kit = await afterJump(seconds);
    const { store, retrieve, entry } = calls(kit);
    await store([{ key: "brief", ttl: 60 }]);
    expect(await entry("brief")).toMatchObject({
      timestamps: { created: NOW, updated: NOW },
      expires_at: NOW + 60,
    });
    kit.clock.advance(59);
    expect((await retrieve()).total).toBe(2);
    kit.clock.advance(2);
    expect((await retrieve()).entries.map(({ key }) => key)).toEqual([{ name: "ahead" }]);
  });

  it("gives larger revisions, after any number of restarts", async () => {
    const kit = await afterJump(seconds);
    const { store, forget } = calls(kit);
    let last = (await calls(kit).entry("ahead"))!.revision!;
    for (let restart = 0; restart < 3; restart++) {
      const [receipt] = (await store([{ key: "ahead", content: restart }])).receipts;
      expect(receipt!.revision).toBeGreaterThan(last);
      last = receipt!.revision;
      await forget({});
      await kit.flush();
      await kit.crash();
    }
  });

  it("answers retries, and forgets replies after the usual time", async () => {
    const kit = await afterJump(seconds);
    const { store } = calls(kit);
    const again = await store([{ key: "ahead", content: "from the future" }], { id: "ahead" });
    expect(again.receipts[0]!.outcome).toBe("created");
    kit.clock.advance(601);
    await store([{ key: "other" }]);
    const later = await store([{ key: "ahead", content: "from the future" }], { id: "ahead" });
    expect(later.receipts[0]!.outcome).toBe("unchanged");
  });

  it("erases forgotten bytes in the usual time", async () => {
    const kit = await afterJump(seconds, { eraseWithinS: 100 });
    const { store, forget } = calls(kit);
    await store([{ key: "a", content: "s3cret" }], { id: "s" });
    await forget({ keys: ["a"] }, { id: "f" });
    await kit.plugin.maintain();
    kit.clock.advance(99);
    await kit.plugin.maintain();
    const erasure = await kit.plugin.onErasure({ tenant: "acme", agent: "alice", id: "f" });
    expect(erasure).toMatchObject({ purge: "done", purged_at: NOW + 99 });
  });

  it("erases within the usual time also entries that were forgotten while the clock was ahead", async () => {
    const kit = await TestKit.open({ options: { eraseWithinS: 100 } });
    kit.clock.advance(seconds);
    await calls(kit).store([{ key: "a", content: "s3cret" }], { id: "s" });
    await calls(kit).forget({ keys: ["a"] }, { id: "f" });
    await kit.crash();
    kit.clock.advance(-seconds);
    await kit.reopen();
    await kit.plugin.maintain();
    kit.clock.advance(99);
    await kit.plugin.maintain();
    expect(await kit.plugin.onErasure({ tenant: "acme", agent: "alice", id: "f" })).toMatchObject({
      purge: "done",
    });
  });
});

describe("a partition with revisions ahead of the clock", () => {
  it("is unloaded like any other, and its revisions continue", async () => {
    const kit = await TestKit.open({ options: { residentBytesMax: 2 ** 20 } });
    kit.clock.advance(HOUR);
    await calls(kit).store([{ key: "k" }], { namespace: "n0" });
    await kit.plugin.close();
    kit.clock.advance(-HOUR);
    await kit.reopen();
    const large = { key: "large", metadata: { text: "x".repeat(2 ** 19) } };
    for (let n = 0; n < 8; n++) await calls(kit).store([large], { namespace: `n${n}` });
    await kit.flush();
    await calls(kit).retrieve({}, { namespace: "n7" });
    expect(kit.plugin.stats().partitions).toBeLessThan(4);
    const before = (await calls(kit).retrieve({}, { namespace: "n0" })).entries;
    const [receipt] = (await calls(kit).store([{ key: "k", content: 2 }], { namespace: "n0" })).receipts;
    expect(receipt!.revision).toBeGreaterThan(Math.max(...before.map(({ revision }) => revision!)));
  });

  it("gives larger revisions in memory, too, after it was empty", async () => {
    const kit = await openMemoryKit();
    const { store, forget } = calls(kit, { tier: "working" });
    let last = 0;
    for (let n = 0; n < 3; n++) {
      const { receipts } = await store([{ key: "k" }, { key: "l" }]);
      expect(receipts[0]!.revision).toBeGreaterThan(last);
      last = receipts[1]!.revision;
      await forget({});
      kit.clock.advance(-HOUR);
    }
  });
});

it("folder.json keeps the time of the newest revision for the next start", async () => {
  const kit = await afterJump(HOUR);
  await calls(kit).store([{ key: "k" }]);
  await kit.flush();
  const { newestAt } = JSON.parse(await readFile(join(kit.directory, "folder.json"), "utf8"));
  expect(newestAt).toBeGreaterThan(NOW + HOUR);
});
