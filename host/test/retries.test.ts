import { describe, expect, it } from "vitest";
import { BlockingPlugin } from "./blocking-plugin.js";
import { turn } from "./fake-clock.js";
import { contents, HostFixture } from "./host-fixture.js";

const ENTRIES = [{ key: "a", content: 1 }];

async function start() {
  const plugin = new BlockingPlugin();
  const fixture = await HostFixture.start({ plugins: { working: plugin } });
  return { plugin, fixture };
}

describe("a retry of a running request", () => {
  it("joins it: one call, the same receipts, and one reply each", async () => {
    const { plugin, fixture } = await start();
    const requests = [1, 2, 3].map((deadline) =>
      fixture.store(ENTRIES, { id: "r", ts: deadline, deadline_ms: 1_000 * deadline, x_attempt: deadline }),
    );
    await plugin.untilBlocked(1);
    await fixture.bus.flush();
    // At least one request starts per turn of the event loop.
    for (const _ of requests) await turn();
    plugin.release();
    const replies = await Promise.all(requests);
    expect(plugin.calls.filter((call) => call === "store")).toEqual(["store"]);
    expect(new Set(replies.map(({ receipts }) => JSON.stringify(receipts))).size).toBe(1);
    expect(new Set(replies.map(({ id }) => id)).size).toBe(3);
    expect(fixture.host.stats().inFlight.mutationCount).toBe(0);
  });

  it("joins it even after the first was answered with timeout, until the plugin settles", async () => {
    const { plugin, fixture } = await start();
    const first = fixture.store(ENTRIES, { id: "r", deadline_ms: 100 });
    await plugin.untilBlocked(1);
    await fixture.clock.advance(120);
    expect(await first).toMatchObject({ code: "timeout" });
    const second = fixture.store(ENTRIES, { id: "r" });
    await fixture.bus.flush();
    expect(plugin.blockedCount).toBe(1);
    plugin.release();
    expect(await second).toMatchObject({ type: "memory/store/resp", stored: [{ name: "a" }] });
    expect(plugin.calls).toContain("store");
    const third = fixture.store(ENTRIES, { id: "r" });
    await plugin.untilBlocked(1);
    plugin.release();
    expect((await third).receipts).toEqual((await second).receipts);
  });

  it("conflicts if it has another body or operation", async () => {
    const { plugin, fixture } = await start();
    const first = fixture.store(ENTRIES, { id: "r" });
    await plugin.untilBlocked(1);
    const conflict = { type: "error", code: "conflict", req_id: "r", retryable: false };
    expect(await fixture.store([{ key: "a", content: 2 }], { id: "r" })).toMatchObject(conflict);
    expect(await fixture.forget({ id: "r", all: true })).toMatchObject(conflict);
    plugin.release();
    expect((await first).type).toBe("memory/store/resp");
  });

  it("is separate from another agent's request with the same id", async () => {
    const { plugin, fixture } = await start();
    const alices = fixture.store(ENTRIES, { id: "r" });
    const bobs = fixture.store([{ key: "a", content: "bob" }], { id: "r" }, "bob");
    await plugin.untilBlocked(2);
    plugin.release();
    expect((await Promise.all([alices, bobs])).map(({ type }) => type)).toEqual([
      "memory/store/resp",
      "memory/store/resp",
    ]);
  });

  it("joins a forget, and the receipt keeps its id", async () => {
    const { plugin, fixture } = await start();
    const requests = [fixture.forget({ id: "f", all: true }), fixture.forget({ id: "f", all: true })];
    await plugin.untilBlocked(1);
    plugin.release();
    const [one, two] = await Promise.all(requests);
    expect(one!.receipt).toEqual(two!.receipt);
    expect(plugin.calls.filter((call) => call === "forget")).toHaveLength(1);
  });
});

describe("a retry of an answered request", () => {
  it("gets the plugin's first result, and publishes no further event", async () => {
    const { plugin, fixture } = await start();
    const events: string[] = [];
    fixture.bus.subscribe("a2e.*.*.events.>", ({ subject }) => void events.push(subject));
    const replies = [];
    for (const _ of [1, 2]) {
      const requests = fixture.store(ENTRIES, { id: "r" });
      await plugin.untilBlocked(1);
      plugin.release();
      replies.push(await requests);
      await fixture.clock.advance(1_000);
    }
    expect(replies[1]!.receipts).toEqual(replies[0]!.receipts);
    expect(events).toEqual(["a2e.default.alice.events.memory.working.stored"]);
  });

  it("gets the plugin's conflict per entry if it has another body", async () => {
    const { plugin, fixture } = await start();
    for (const content of [1, 2]) {
      const requests = fixture.store([{ key: "a", content }], { id: "r" });
      await plugin.untilBlocked(1);
      plugin.release();
      if (content === 2) expect((await requests).errors).toMatchObject([{ index: 0, code: "conflict" }]);
      else await requests;
    }
    const requests = fixture.retrieve();
    await plugin.untilBlocked(1);
    plugin.release();
    expect(contents(await requests)).toEqual([1]);
  });
});
