import type { Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { RefusedEntriesError } from "../src/index.js";
import { openFixture } from "./client-fixture.js";

const FACT = { key: { id: "fact1" }, content: { text: "Earth orbits the Sun" }, tier: "semantic" } as const;
const TASK = { key: { id: "task1" }, content: { step: 3 }, tier: "working" } as const;

describe("store", () => {
  it("sends all entries in one message and returns their outcomes", async () => {
    const { client, host } = await openFixture();
    const result = await client.store([FACT, TASK], { id: "request-1" });
    expect(host.requests).toHaveLength(1);
    expect(host.requests[0]).toMatchObject({
      subject: "a2e.default.alice.memory.store.req",
      encoding: "json",
      message: {
        type: "memory/store/req",
        id: "request-1",
        version: "1.1",
        deadline_ms: 5_000,
        namespace: "default",
        entries: [FACT, TASK],
      },
    });
    expect(host.requests[0]!.message).not.toHaveProperty("session_id");
    expect(result).toEqual({
      stored: [{ id: "fact1" }, { id: "task1" }],
      errors: [],
      receipts: [
        { index: 0, key_hash: "0".repeat(64), outcome: "created", revision: 100 },
        { index: 1, key_hash: "0".repeat(64), outcome: "created", revision: 101 },
      ],
      requestIds: ["request-1"],
    });
  });

  it("accepts a single entry, and uses a new id for every call", async () => {
    const { client, host } = await openFixture();
    const results = [await client.store(TASK), await client.store(TASK)];
    expect(results.map(({ stored }) => stored)).toEqual([[{ id: "task1" }], [{ id: "task1" }]]);
    expect(new Set(host.ids).size).toBe(2);
    expect(results.flatMap(({ requestIds }) => requestIds)).toEqual(host.ids);
    for (const id of host.ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  it("sends nothing for an empty list", async () => {
    const { client, host } = await openFixture();
    expect(await client.store([])).toEqual({ stored: [], errors: [], receipts: [], requestIds: [] });
    expect(host.requests).toEqual([]);
  });

  it("forwards ack, requires, session and deadline", async () => {
    const { client, host } = await openFixture({ client: { session: "s1", namespace: "a/b" } });
    await client.store(TASK, { ack: "queued", requires: ["durable"], timeoutMs: 700 });
    expect(host.requests[0]!.message).toMatchObject({
      session_id: "s1",
      namespace: "a/b",
      ack: "queued",
      requires: ["durable"],
      deadline_ms: 700,
    });
  });

  it("reports refused and stored entries", async () => {
    const { client } = await openFixture();
    const bad = { key: "bad", content: { refuse: "conflict" } };
    const { stored, errors, receipts } = await client.store([bad, TASK], { partial: true });
    expect(stored).toEqual([{ id: "task1" }]);
    expect(errors).toEqual([
      {
        index: 0,
        key: "bad",
        code: "conflict",
        message: "refused with conflict",
        detail: {},
        retryable: false,
      },
    ]);
    expect(receipts.map(({ index }) => index)).toEqual([1]);
  });

  it("throws if an entry is refused, with the outcome of each entry", async () => {
    const { client } = await openFixture();
    const bad = { key: "bad", content: { refuse: "conflict" } };
    const alone = await client.store(bad).catch((error: RefusedEntriesError) => error);
    expect(alone).toBeInstanceOf(RefusedEntriesError);
    expect(alone).toMatchObject({ code: "conflict", message: "refused with conflict" });
    const batch = await client.store([TASK, bad]).catch((error: RefusedEntriesError) => error);
    expect(batch).toMatchObject({
      code: "conflict",
      message: "entries[1]: refused with conflict (1 of 2 entries are stored)",
      result: { stored: [{ id: "task1" }], errors: [{ index: 1, key: "bad" }], receipts: [{ index: 0 }] },
    });
  });

  it("sends the entries as they were at the time of the call", async () => {
    const { client, host } = await openFixture();
    const entry = { key: "a", content: { step: 1 } };
    const storing = client.store(entry);
    entry.content.step = 2;
    await storing;
    expect(host.bodies[0]!.entries).toEqual([{ key: "a", content: { step: 1 } }]);
  });
});

describe("retrieved entries", () => {
  it("are stored without the fields that the host sets", async () => {
    const { client, host } = await openFixture();
    const given = {
      key: { id: "a" },
      content: 1,
      tier: "episodic",
      tags: ["t"],
      source: "alice",
      score: 0.5,
    };
    const kept = { ...given, ttl: 60, importance: 0.5, occurred_at: 9, expires_at: 99, metadata: { a: 1 } };
    const set = { key_hash: "0".repeat(64), revision: 7, seq: 5, namespace: "default", author: "alice" };
    const timestamps = { created: 1, updated: 2, accessed: 3 };
    await client.store({ ...kept, ...set, timestamps, group: undefined } as never);
    expect(host.bodies[0]!.entries).toEqual([kept]);
  });

  it("keep fields of a later version", async () => {
    const { client, host } = await openFixture();
    await client.store({ key: "a", content: 1, provenance: "book" } as never);
    expect(host.bodies[0]!.entries).toEqual([{ key: "a", content: 1, provenance: "book" }]);
  });
});

describe("vectors", () => {
  it.each([
    ["a Float32Array", Float32Array.of(0.5, -1)],
    ["a list", [0.5, -1]],
  ])("are sent as float32 in MessagePack: %s", async (_name, embedding) => {
    const { client, host } = await openFixture();
    await client.store({ key: "a", content: 1, embedding, embedding_model: "m" });
    expect(host.requests[0]!.encoding).toBe("msgpack");
    const [entry] = host.requests[0]!.message.entries as Message[];
    expect(entry!.embedding).toEqual(Float32Array.of(0.5, -1));
  });

  it("are rejected in another binary form", async () => {
    const { client, host } = await openFixture();
    const entry = { key: "a", content: 1, embedding: Float64Array.of(1) as never, embedding_model: "m" };
    await expect(client.store(entry)).rejects.toThrow(
      new TypeError("an embedding must be a Float32Array or a list of numbers"),
    );
    expect(host.requests).toEqual([]);
  });

  it("are not required for MessagePack", async () => {
    const { client, host } = await openFixture({ client: { encoding: "msgpack" } });
    expect((await client.store(TASK)).stored).toEqual([{ id: "task1" }]);
    expect(host.requests[0]!.encoding).toBe("msgpack");
  });
});
