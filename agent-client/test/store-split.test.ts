import { MemoryError, type Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import type { EntryInput } from "../src/index.js";
import { openFixture } from "./client-fixture.js";
import { storeAll } from "./scripted-host.js";

const numbered = (count: number, content: unknown = null): EntryInput[] =>
  Array.from({ length: count }, (_, n) => ({ key: { n }, content }) as EntryInput);

const counts = (bodies: Message[]) => bodies.map(({ entries }) => (entries as unknown[]).length);

describe("a store that does not fit one message", () => {
  it("is split by count, in order, with ids derived from its own id", async () => {
    const { client, host } = await openFixture();
    const { stored, receipts, requestIds } = await client.store(numbered(2_500), { id: "bulk" });
    expect(counts(host.bodies)).toEqual([1_000, 1_000, 500]);
    expect(host.ids).toEqual(["bulk.0", "bulk.1", "bulk.2"]);
    expect(requestIds).toEqual(["bulk.0", "bulk.1", "bulk.2"]);
    expect(stored).toEqual(Array.from({ length: 2_500 }, (_, n) => ({ n })));
    expect(receipts.map(({ index }) => index)).toEqual([...Array(2_500).keys()]);
    expect(receipts[2_499]!.revision).toBe(100 + 499);
  });

  it("is not split at 1000", async () => {
    const { client, host } = await openFixture();
    await client.store(numbered(1_000), { id: "bulk" });
    expect(host.ids).toEqual(["bulk"]);
  });

  it("is split by size, including the size of the replies", async () => {
    const { client, host } = await openFixture({ bus: { maxPayloadBytes: 8_192 } });
    const { stored } = await client.store(numbered(60, "x".repeat(1_000)));
    expect(stored).toHaveLength(60);
    expect(counts(host.bodies)).toEqual(Array(12).fill(5));
    for (const { text } of host.requests) expect(text.length).toBeLessThanOrEqual(8_192 - 5 * 320);
  });

  it("is split in MessagePack too", async () => {
    const { client, host } = await openFixture({ bus: { maxPayloadBytes: 8_192 } });
    const embedding = new Float32Array(256);
    const entries = numbered(20).map((entry) => ({ ...entry, embedding, embedding_model: "m" }));
    expect((await client.store(entries)).stored).toHaveLength(20);
    expect(counts(host.bodies)).toEqual([5, 5, 5, 5]);
    for (const { encoding } of host.requests) expect(encoding).toBe("msgpack");
  });

  it("is split identically when repeated", async () => {
    const { client, host } = await openFixture();
    const entries = numbered(1_200, "é".repeat(1_000));
    for (let times = 0; times < 2; times++) await client.store(entries, { id: "again" });
    const texts = host.requests.map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.slice(texts.length / 2)).toEqual(texts.slice(0, texts.length / 2));
  });

  it("is limited to one mebibyte regardless of the bus", async () => {
    const { client, host } = await openFixture({ bus: { maxPayloadBytes: 64 * 1024 * 1024 } });
    await client.store(numbered(10, "x".repeat(200_000)));
    expect(counts(host.bodies)).toEqual([5, 5]);
  });
});

describe("positions in a split store", () => {
  it("are positions in the call, for receipts and errors", async () => {
    const { client } = await openFixture();
    const entries = numbered(1_500);
    entries[3] = { key: "here", content: { refuse: "conflict" } };
    entries[700] = { key: "large", content: "x".repeat(300_000) };
    entries[1_400] = { key: "there", content: { refuse: "memory_full" } };
    const { receipts, errors } = await client.store(entries, { partial: true });
    expect(errors.map(({ index, key, code }) => [index, key, code])).toEqual([
      [3, "here", "conflict"],
      [700, "large", "too_large"],
      [1_400, "there", "memory_full"],
    ]);
    const refused = [3, 700, 1_400];
    expect(receipts.map(({ index }) => index)).toEqual(
      [...Array(1_500).keys()].filter((n) => !refused.includes(n)),
    );
  });

  it("identify an entry that is too large for the bus", async () => {
    const { client, host } = await openFixture({ bus: { maxPayloadBytes: 4_096 } });
    const { stored, errors } = await client.store(
      [numbered(1)[0]!, { key: "large", content: "x".repeat(4_000) }],
      { id: "one", partial: true },
    );
    expect(stored).toEqual([{ n: 0 }]);
    expect(errors).toMatchObject([{ index: 1, code: "too_large", detail: { limit: "messageBytes" } }]);
    expect(host.ids).toEqual(["one"]);
  });
});

describe("a failed part", () => {
  it("throws if it is the first", async () => {
    const { client, host } = await openFixture({ answer: () => new MemoryError("unauthorized", "no") });
    await rejection(client.store(numbered(2_500)), "unauthorized");
    expect(host.requests).toHaveLength(1);
  });

  it("ends the call and is reported for every remaining entry", async () => {
    const { client, host } = await openFixture({
      answer: (message, n) =>
        n === 1 ? new MemoryError("out_of_memory", "no", { a: 1 }) : storeAll(message),
      client: { retryTimeoutMs: 0 },
    });
    const { stored, errors, requestIds } = await client.store(numbered(2_500), { id: "bulk", partial: true });
    expect(stored).toHaveLength(1_000);
    expect(errors.map(({ index }) => index)).toEqual(Array.from({ length: 1_500 }, (_, n) => 1_000 + n));
    expect(errors[0]).toEqual({
      index: 1_000,
      key: { n: 1_000 },
      code: "out_of_memory",
      message: "no",
      detail: { a: 1 },
      retryable: true,
    });
    expect(requestIds).toEqual(["bulk.0", "bulk.1"]);
    expect(host.requests).toHaveLength(2);
  });
});
