import type { PluginStoreResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { openMemoryKit, TestKit } from "./kit-fixture.js";

const IN_FLIGHT = 64;

describe("64 concurrent stores on the same keys", () => {
  it("get strictly increasing revisions in call order, and the last one is kept", async () => {
    const kit = await TestKit.open({ options: { flushCount: 10 } });
    const { store, retrieve, entry } = calls(kit);
    const replies: PluginStoreResult[] = [];
    for (let round = 0; round < 4; round++) {
      const stores = Array.from({ length: IN_FLIGHT }, (_, at) =>
        store([{ key: `k${at % 4}`, content: `round ${round} number ${at}` }]),
      );
      replies.push(...(await Promise.all(stores)));
    }
    const revisions = replies.map(({ receipts }) => receipts[0]!.revision);
    expect(new Set(revisions).size).toBe(4 * IN_FLIGHT);
    for (let key = 0; key < 4; key++) {
      const ofKey = revisions.filter((_, at) => at % 4 === key);
      expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
      expect((await entry(`k${key}`))?.content).toBe(`round 3 number ${60 + key}`);
    }
    expect((await retrieve()).total).toBe(4);
    const outcomes = replies.map(({ receipts }) => receipts[0]!.outcome);
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(4);
    await kit.reopen();
    const stored = (await retrieve({ order: "oldest" })).entries;
    expect(stored.map(({ revision }) => revision)).toEqual(revisions.slice(-4));
  });
});

/** Reads, adds one and stores conditionally until it succeeds. */
async function increment({ store, entry }: ReturnType<typeof calls>): Promise<void> {
  for (;;) {
    const current = await entry("counter");
    const content = Number(current?.content ?? 0) + 1;
    const { errors } = await store([{ key: "counter", content, if_revision: current?.revision ?? 0 }]);
    if (errors.length === 0) return;
    expect(errors[0]!.error.code).toBe("conflict");
  }
}

describe("a counter by compare-and-set", () => {
  it("loses no increment of a durable tier during other operations", async () => {
    const kit = await TestKit.open({ options: { flushCount: 5, residentBytesMax: 1024 * 1024 } });
    const requests = calls(kit);
    const counting = Array.from({ length: 8 }, async () => {
      for (let at = 0; at < 15; at++) await increment(requests);
    });
    let isOver = false;
    const upkeep = (async () => {
      while (!isOver) {
        await kit.plugin.maintain();
        await requests.retrieve({}, { namespace: "elsewhere" });
      }
    })();
    await Promise.all(counting);
    isOver = true;
    await upkeep;
    expect((await requests.entry("counter"))?.content).toBe(120);
    await kit.crash();
    expect((await requests.entry("counter"))?.content).toBe(120);
  });

  it("loses no increment of a tier in memory", async () => {
    const requests = calls(await openMemoryKit(), { tier: "working" });
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let at = 0; at < 20; at++) await increment(requests);
      }),
    );
    expect((await requests.entry("counter"))?.content).toBe(320);
  });
});

describe("one operation sent several times concurrently", () => {
  it("runs once, and another body with its id is a conflict", async () => {
    const kit = await TestKit.open();
    const { store, forget, retrieve } = calls(kit);
    const entries = [{ key: "k", content: 1 }];
    const first = store(entries, { id: "same" });
    const again = store(entries, { id: "same" });
    const other = store([{ key: "k", content: 2 }], { id: "same" });
    const otherKind = forget({ keys: ["k"] }, { id: "same" });
    await Promise.all([
      expect(other).rejects.toMatchObject({ code: "conflict", detail: { id: "same" } }),
      expect(otherKind).rejects.toMatchObject({ code: "conflict" }),
    ]);
    expect(await again).toEqual(await first);
    expect((await retrieve()).entries.map(({ content }) => content)).toEqual([1]);
    await expect(store([{ key: "k", content: 3 }], { id: "same" })).rejects.toMatchObject({
      code: "conflict",
    });
  });
});
