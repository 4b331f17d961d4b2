import { encodeMessage, eventSubject, type MemoryEvent, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { describe, expect, it, vi } from "vitest";
import { turn } from "../../host/test/fake-clock.js";
import { openFixture } from "./client-fixture.js";

const EVENT = {
  type: "memory/event",
  action: "stored",
  tier: "working",
  namespace: "default",
  key: { id: "a" },
  key_hash: "0".repeat(64),
  tags: [],
  revision: 1,
  author: "alice",
  at: 1_800_000_000,
} as const;

/** Publishes an event like a host. */
function publish(bus: Bus, agent: string, fields: Partial<MemoryEvent> = {}, tenant = "default"): void {
  const event = { ...EVENT, ...fields } as MemoryEvent;
  const subject = eventSubject({ tenant, agent, tier: event.tier, action: event.action });
  bus.publish(subject, encodeMessage(event as Message, "json"));
}

describe("watch", () => {
  it("delivers the agent's own events and all events of the shared tier, once each", async () => {
    const { client, bus } = await openFixture();
    const seen: string[] = [];
    await client.watch({}, ({ tier, author }) => void seen.push(`${tier} ${author}`));
    for (const tier of ["working", "episodic", "semantic"] as const) {
      for (const author of ["alice", "bob"]) publish(bus, author, { tier, author });
    }
    publish(bus, "alice", {}, "acme");
    await bus.flush();
    expect(seen).toEqual(["working alice", "episodic alice", "semantic alice", "semantic bob"]);
  });

  it('delivers events of all agents of the tenant with agents: "all"', async () => {
    const { client, bus } = await openFixture();
    const seen: string[] = [];
    await client.watch({ agents: "all" }, ({ tier, author }) => void seen.push(`${tier} ${author}`));
    for (const tier of ["working", "semantic"] as const) {
      for (const author of ["alice", "bob"]) publish(bus, author, { tier, author });
    }
    publish(bus, "alice", {}, "acme");
    await bus.flush();
    expect(seen).toEqual(["working alice", "working bob", "semantic alice", "semantic bob"]);
  });

  it("passes on unknown fields of events", async () => {
    const { client, bus } = await openFixture();
    const seen: unknown[] = [];
    await client.watch({}, (event) => void seen.push(event));
    publish(bus, "alice", { later: 1 });
    await bus.flush();
    expect(seen).toEqual([{ ...EVENT, later: 1 }]);
  });

  it.each([
    [{ tier: "episodic" }, ["episodic stored a", "episodic forgotten a/b"]],
    [{ action: "forgotten" }, ["episodic forgotten a/b", "semantic forgotten c"]],
    [{ namespace: "a/**" }, ["episodic stored a", "episodic forgotten a/b"]],
    [{ namespace: "a" }, ["episodic stored a"]],
  ] as const)("filters by %j", async (filter, expected) => {
    const { client, bus } = await openFixture();
    const seen: string[] = [];
    const note = ({ tier, action, namespace }: MemoryEvent) =>
      void seen.push(`${tier} ${action} ${namespace}`);
    await client.watch(filter, note);
    publish(bus, "alice", { tier: "episodic", namespace: "a" });
    publish(bus, "alice", { tier: "episodic", namespace: "a/b", action: "forgotten" });
    publish(bus, "bob", { tier: "semantic", namespace: "c", action: "forgotten" });
    await bus.flush();
    expect(seen).toEqual(expected);
  });

  it("ignores messages that are not events", async () => {
    const { client, bus, logger } = await openFixture();
    const seen: unknown[] = [];
    await client.watch({}, (event) => void seen.push(event));
    const subject = eventSubject({ tenant: "default", agent: "alice", tier: "working", action: "stored" });
    bus.publish(subject, Buffer.from("not JSON"));
    bus.publish(subject, encodeMessage({ ...EVENT, type: "memory/other" }, "json"));
    publish(bus, "alice");
    await bus.flush();
    expect(seen).toEqual([EVENT]);
    expect(logger.lines).toEqual([]);
  });

  it("drops and counts events while 10,000 calls have not finished", async () => {
    const { client, bus } = await openFixture();
    let calls = 0;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const watch = await client.watch({}, () => {
      calls++;
      return finished;
    });
    for (let n = 0; n < 10_003; n++) {
      publish(bus, "alice");
      if (n % 500 === 0) await bus.flush();
    }
    await bus.flush();
    expect([calls, watch.missed]).toEqual([10_000, 3]);
    finish();
    await turn();
    publish(bus, "alice");
    await bus.flush();
    expect([calls, watch.missed]).toEqual([10_001, 3]);
  });

  it("continues after a failed callback", async () => {
    const { client, bus, logger } = await openFixture();
    let calls = 0;
    await client.watch({}, () => {
      calls++;
      throw new Error("mine");
    });
    publish(bus, "alice");
    publish(bus, "alice");
    await bus.flush();
    expect(calls).toBe(2);
    expect(logger.messages("error")).toEqual(Array(2).fill("subscription callback failed"));
  });
});

describe("watches of one connection", () => {
  it("share a subscription for each subject, and an event is decoded once", async () => {
    const { client, bus } = await openFixture();
    const subscribe = vi.spyOn(bus, "subscribe");
    const seen: MemoryEvent[][] = [];
    for (const agent of ["alice", "bob", "bob"]) {
      const own: MemoryEvent[] = [];
      seen.push(own);
      await client.forAgent(agent).watch({ tier: "semantic" }, (event) => void own.push(event));
    }
    publish(bus, "carol", { tier: "semantic" });
    await bus.flush();
    expect(subscribe).toHaveBeenCalledTimes(1);
    expect(seen.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(new Set(seen.flat()).size).toBe(1);
  });

  it("go on when another one fails or stops", async () => {
    const { client, bus, logger } = await openFixture();
    const seen: string[] = [];
    await client.watch({}, () => {
      throw new Error("mine");
    });
    const stopped = await client.watch({}, ({ namespace }) => void seen.push(`stopped ${namespace}`));
    await client.watch({}, ({ namespace }) => void seen.push(`last ${namespace}`));
    publish(bus, "alice", { namespace: "a" });
    await bus.flush();
    await stopped.stop();
    publish(bus, "alice", { namespace: "b" });
    await bus.flush();
    expect(seen).toEqual(["stopped a", "last a", "last b"]);
    expect(logger.messages("error")).toEqual(Array(2).fill("subscription callback failed"));
  });

  it("subscribe again after the last one has stopped", async () => {
    const { client, bus } = await openFixture();
    const first = await client.watch({}, () => {});
    await first.stop();
    const seen: unknown[] = [];
    await client.watch({}, (event) => void seen.push(event));
    publish(bus, "alice");
    await bus.flush();
    expect(seen).toHaveLength(1);
  });
});

describe("a watch ends", () => {
  it("when it is stopped, after its last callback has returned", async () => {
    const { client, bus } = await openFixture();
    let finish: () => void = () => {};
    const watch = await client.watch({}, () => new Promise<void>((resolve) => (finish = resolve)));
    publish(bus, "alice");
    await bus.flush();
    let stopped = false;
    const stopping = watch.stop().then(() => {
      stopped = true;
    });
    await bus.flush();
    expect(stopped).toBe(false);
    finish();
    await stopping;
  });

  it("with its client", async () => {
    const { client, bus } = await openFixture();
    const seen: unknown[] = [];
    await client.forSession("s").watch({}, (event) => void seen.push(event));
    await client.close();
    publish(bus, "alice");
    await bus.flush();
    expect(seen).toEqual([]);
  });

  it.each([
    [{ teir: "working" }, "unknown option `teir` (did you mean `tier`?)"],
    [{ tier: "warm" }, "tier must be one of working, episodic, semantic, got warm"],
    [{ namespace: "a/*" }, "namespace must be a path of 1..8 segments, or one followed by /**"],
  ])("before it starts, for %j", async (filter, message) => {
    const { client } = await openFixture();
    await expect(client.watch(filter as never, () => {})).rejects.toThrow(new TypeError(message));
  });
});
