import { eventPattern, MemoryEventSchema } from "@membus/protocol";
import type { BusMessage, PluginServices } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { turn } from "./fake-clock.js";
import { decoded, type FixtureOptions, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

async function startWatched(options?: FixtureOptions) {
  const fixture = await HostFixture.start(options);
  const messages: BusMessage[] = [];
  fixture.bus.subscribe(eventPattern({ tenant: "*" }), (message) => void messages.push(message));
  const seen = async () => {
    await fixture.bus.flush();
    await turn();
    return messages;
  };
  return { fixture, seen };
}

describe("events", () => {
  it("report each written entry, without its content", async () => {
    const { fixture, seen } = await startWatched();
    const secret = {
      content: "secret-content",
      text: "secret-text",
      context: "secret-context",
      metadata: { m: "secret" },
    };
    const { receipts } = await fixture.store([{ key: "a", ...secret, tags: ["t"], group: "g" }], { id: "r" });
    const [receipt] = receipts as { revision: number; key_hash: string }[];
    const [message] = await seen();
    expect(message!.subject).toBe("a2e.default.alice.events.memory.working.stored");
    expect(message!.headers).toEqual({ "Content-Type": "application/json" });
    const event = decoded(message!);
    expect(MemoryEventSchema.safeParse(event).success).toBe(true);
    const expected = {
      action: "stored",
      tier: "working",
      namespace: "default",
      key: { name: "a" },
      tags: ["t"],
    };
    expect(event).toMatchObject({
      ...expected,
      ...{ group: "g", author: "alice", at: 1_800_000_000, event_id: "r/0" },
    });
    expect(event).toMatchObject({
      type: "memory/event",
      revision: receipt!.revision,
      key_hash: receipt!.key_hash,
    });
    expect(Buffer.from(message!.payload).toString()).not.toContain("secret");
  });

  it("are published after the reply to the store", async () => {
    const fixture = await HostFixture.start();
    const published: string[] = [];
    const publish = fixture.bus.publish.bind(fixture.bus);
    fixture.bus.publish = (subject, ...rest) => {
      published.push(subject);
      publish(subject, ...rest);
    };
    await fixture.store([
      { key: "a", content: 1 },
      { key: "b", content: 2 },
    ]);
    await turn();
    const eventAt = published.map((subject) => subject.endsWith(".stored"));
    expect(eventAt.slice(-3)).toEqual([false, true, true]);
  });

  it("are omitted for unchanged, superseded or refused entries, and their receipts have no event id", async () => {
    const plugin = new MapPlugin();
    const honest = plugin.onStore.bind(plugin);
    const outcomes = ["unchanged", "superseded", "queued", "updated"] as const;
    plugin.onStore = async (scope, request) => {
      const { receipts, errors } = await honest(scope, request);
      return {
        receipts: receipts.map((receipt, index) => ({ ...receipt, outcome: outcomes[index]! })),
        errors,
        done: true,
      };
    };
    const { fixture, seen } = await startWatched({ plugins: { working: plugin } });
    const keys = ["a", "b", "c", "d"];
    const reply = await fixture.store([...keys.map((key) => ({ key, content: 1 })), { key: "bad" }], {
      id: "r",
    });
    expect((await seen()).map((message) => decoded(message).event_id)).toEqual(["r/2", "r/3"]);
    const ids = (reply.receipts as object[]).map((receipt) => Reflect.get(receipt, "event_id"));
    expect(ids).toEqual([undefined, undefined, "r/2", "r/3"]);
    expect(reply.stored).toEqual([{ name: "a" }, { name: "c" }, { name: "d" }]);
  });

  it("name the agent that forgot, and the author of an expired entry", async () => {
    const { fixture, seen } = await startWatched({ plugins: { semantic: new MapPlugin() } });
    await fixture.store([{ key: "a", content: 1, tier: "semantic" }]);
    await fixture.store([{ key: "b", content: 1, tier: "semantic", ttl: 5 }]);
    await fixture.forget({ keys: ["a"] }, "bob");
    await fixture.clock.advance(6_000);
    expect((await seen()).map(({ subject }) => subject)).toEqual([
      "a2e.default.alice.events.memory.semantic.stored",
      "a2e.default.alice.events.memory.semantic.stored",
      "a2e.default.bob.events.memory.semantic.forgotten",
      "a2e.default.alice.events.memory.semantic.expired",
    ]);
  });

  it("can be turned off", async () => {
    const { fixture, seen } = await startWatched({ options: { events: false } });
    const reply = await fixture.store([{ key: "a", content: 1 }]);
    expect((reply.receipts as object[])[0]).not.toHaveProperty("event_id");
    await fixture.forget({ all: true });
    expect(await seen()).toEqual([]);
  });

  it("are limited per second, and further events are counted", async () => {
    const { fixture, seen } = await startWatched({ options: { eventsPerSecondMax: 2 } });
    await fixture.store(["a", "b", "c"].map((key) => ({ key, content: 1 })));
    expect(await seen()).toHaveLength(2);
    await fixture.clock.advance(1_000);
    await fixture.store([{ key: "d", content: 1 }]);
    expect(await seen()).toHaveLength(3);
    expect(fixture.host.stats()).toMatchObject({ eventsPublished: 3, dropped: { event_limit: 1 } });
  });

  it("of a quiet agent are published during a storm of another", async () => {
    const { fixture, seen } = await startWatched({ options: { eventsPerSecondMax: 100 } });
    const storm = Array.from({ length: 150 }, (_, n) => ({ key: `${n}`, content: 1 }));
    await fixture.store(storm, { id: "storm" });
    await fixture.store([{ key: "mine", content: 1 }], { id: "quiet" }, "bob");
    const events = (await seen()).map(({ subject }) => subject.split(".")[2]);
    expect(events.filter((agent) => agent === "alice")).toHaveLength(91);
    expect(events.filter((agent) => agent === "bob")).toHaveLength(1);
    expect(fixture.host.stats()).toMatchObject({ eventsPublished: 92, dropped: { event_limit: 59 } });
  });

  it("reject `stored` and other tiers from a plugin, and notify never throws", async () => {
    let services!: PluginServices;
    const plugin = new MapPlugin();
    plugin.open = async (given) => {
      services = given;
    };
    const { fixture, seen } = await startWatched({ plugins: { working: plugin } });
    const scope = {
      tier: "working",
      tenant: "default",
      agent: "alice",
      session: "",
      namespace: "default",
    } as const;
    const change = { scope, key: { a: 1 }, key_hash: "0".repeat(64), tags: [], revision: 1, author: "alice" };
    services.notify({ ...change, action: "stored" }, "alice");
    services.notify({ ...change, action: "expired", scope: { ...scope, tier: "semantic" } }, "alice");
    services.notify(undefined as never, "alice");
    services.notify({ ...change, action: "evicted" }, "");
    expect(await seen()).toEqual([]);
    expect(fixture.host.stats()).toMatchObject({ violations: { working: 3 }, dropped: { event_failed: 1 } });
  });
});
