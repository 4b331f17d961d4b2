import type { MemoryClient } from "@membus/agent-client";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const LARGE = "x".repeat(200_000);
const LONG_KEYS = Array.from({ length: 1_000 }, (_, n) => String(n).padStart(900, "k"));
const MAX_PAYLOAD = 1024 * 1024;

describe("a batch larger than one message", () => {
  let wire: Wire;
  let nats: NatsConnection;
  let memory: MemoryClient;

  beforeAll(async () => {
    wire = await Wire.start({ binary: NATS_SERVERS[0]! });
    nats = await wire.connection();
    memory = await wire.client("alice");
    expect(nats.info?.max_payload).toBe(MAX_PAYLOAD);
  });
  afterAll(() => wire?.close());

  it("is split by the client, and its reply by the host", async () => {
    const entries = Array.from({ length: 12 }, (_, n) => ({
      key: { n },
      content: LARGE + n,
      occurred_at: 1_000 + n,
    }));
    const { receipts, requestIds } = await memory.store(
      entries.map((entry) => ({ ...entry, tier: "episodic" })),
    );
    expect(receipts.map(({ index }) => index)).toEqual([...entries.keys()]);
    expect(requestIds.length).toBeGreaterThan(2);

    const page = await memory.retrieve({ tier: "episodic", order: "oldest", limit: 100 });
    expect(page.total).toBe(12);
    expect(page.entries.length).toBe(5);
    const read: unknown[] = [];
    for await (const { key, content } of memory.entries({ tier: "episodic", order: "oldest" })) {
      expect(content).toBe(LARGE + key.n);
      read.push(key.n);
    }
    expect(read).toEqual(entries.map(({ key }) => key.n));
  });

  it("is rejected before it is stored if the reply would not fit", async () => {
    const entries = LONG_KEYS.map((key) => ({ key, content: 1 }));
    const reply = await ask(nats, "bob", "memory/store/req", { entries });
    expect(reply).toMatchObject({ code: "too_large", detail: { limit: "messageBytes" } });
    expect(await ask(nats, "bob", "memory/retrieve/req", { limit: 0 })).toMatchObject({ total: 0 });

    const { stored } = await memory.forAgent("bob").store(entries);
    expect(stored.length).toBe(1_000);
    const half = await ask(nats, "bob", "memory/store/req", { entries: entries.slice(500) });
    expect(half.receipts).toHaveLength(500);
  });
});
