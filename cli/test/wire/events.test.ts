import type { MemoryClient } from "@membus/agent-client";
import type { MemoryEvent } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

describe.each(NATS_SERVERS)("events over %s", (binary) => {
  let wire: Wire;
  let alice: MemoryClient;
  let published: { subject: string; event: MemoryEvent }[];

  beforeAll(async () => {
    wire = await Wire.start({ binary });
    alice = await wire.client("alice");
    published = [];
    const nats = await wire.connection();
    nats.subscribe("a2e.*.*.events.>", {
      callback: (_error, message) => {
        published.push({ subject: message.subject, event: message.json<MemoryEvent>() });
      },
    });
    await nats.flush();
  });
  afterAll(() => wire?.close());

  /** Resolves with the events since the last call when there are `count`. */
  async function nextEvents(count: number) {
    await expect.poll(() => published.length).toBeGreaterThanOrEqual(count);
    return published.splice(0);
  }

  it("report a store without its contents", async () => {
    const entry = {
      key: { id: "e1" },
      content: "SECRET",
      text: "SECRET",
      context: "SECRET",
      tags: ["t"],
      group: "g",
    };
    const { receipts } = await alice.store({ ...entry, tier: "semantic" }, { id: "store-1" });
    const [first, ...others] = await nextEvents(1);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      subject: "a2e.default.alice.events.memory.semantic.stored",
      event: {
        type: "memory/event",
        action: "stored",
        tier: "semantic",
        namespace: "default",
        key: { id: "e1" },
        key_hash: receipts[0]!.key_hash,
        revision: receipts[0]!.revision,
        tags: ["t"],
        group: "g",
        author: "alice",
        event_id: "store-1/0",
      },
    });
    expect(JSON.stringify(first)).not.toContain("SECRET");
  });

  it("are not published for unchanged entries or retries", async () => {
    const entry = { key: "twice", content: 1, tier: "episodic" } as const;
    await alice.store(entry, { id: "store-2" });
    await alice.store(entry, { id: "store-2" });
    await alice.store(entry);
    await alice.store({ ...entry, content: 2 });
    const events = await nextEvents(2);
    expect(events.map(({ event }) => event.event_id)).toEqual(["store-2/0", expect.any(String)]);
  });

  it("name the forgetting agent in the subject, and the author in the event", async () => {
    await alice.forAgent("bob").forget({ keys: [{ id: "e1" }] });
    expect(await nextEvents(1)).toMatchObject([
      {
        subject: "a2e.default.bob.events.memory.semantic.forgotten",
        event: { action: "forgotten", author: "alice", tags: ["t"], key: { id: "e1" } },
      },
    ]);
  });

  it("escape the names of agents", async () => {
    await alice.forAgent("zoë of *.>").remember("a", 1);
    const [{ subject, event }] = (await nextEvents(1)) as [(typeof published)[number]];
    expect(subject).toMatch(/^a2e\.default\.=[\w-]+\.events\.memory\.working\.stored$/);
    expect(event.author).toBe("zoë of *.>");
  });

  it("are delivered to `watch` until it is stopped", async () => {
    const received: string[] = [];
    const watch = await alice.watch(
      { tier: "semantic" },
      ({ action, author }) => void received.push(`${action} by ${author}`),
    );
    await alice.forAgent("bob").remember("w", 1, { tier: "semantic" });
    await alice.remember("w", 1, { tier: "working" });
    await alice.forget({ keys: ["w"], tier: "semantic" });
    await expect.poll(() => received).toEqual(["stored by bob", "forgotten by bob"]);
    await watch.stop();
    await alice.remember("w", 2, { tier: "semantic" });
    await nextEvents(4);
    expect(received.length).toBe(2);
  });

  it.each(["working", "episodic", "semantic"] as const)("report expiry in the %s tier", async (tier) => {
    await alice.remember("kept", 1, { tier, ttl: 3_600 });
    await alice.remember("brief", 1, { tier, ttl: 0.2 });
    await expect.poll(() => alice.recall("brief", "gone", { tier })).toBe("gone");
    expect(await alice.retrieve({ tier, keys: ["brief", "kept"] })).toMatchObject({
      total: 1,
      entries: [{ key: { name: "kept" }, ttl: 3_600 }],
    });
    const [kept, brief, expired] = await nextEvents(3);
    expect([kept?.event.action, brief?.event.action]).toEqual(["stored", "stored"]);
    expect(expired).toMatchObject({
      subject: `a2e.default.alice.events.memory.${tier}.expired`,
      event: { action: "expired", key: { name: "brief" }, author: "alice" },
    });
    expect(await alice.forget({ tier, keys: ["brief"] })).toMatchObject({ deleted: 0 });
  });
});
