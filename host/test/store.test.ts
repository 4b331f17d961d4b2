import { keyHash } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { contents, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const entries = [
  { key: "a", content: 1 },
  { key: { id: 2 }, content: null },
];

describe("store", () => {
  it("answers with keys, receipts and event ids, in the order of the request", async () => {
    const fixture = await HostFixture.start();
    const reply = await fixture.store(entries, { id: "r" });
    const revision = 1_800_000_000_000_000;
    expect(reply).toMatchObject({
      type: "memory/store/resp",
      version: "1.1",
      ts: 1_800_000_000,
      req_id: "r",
    });
    expect(reply.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(reply).toMatchObject({ stored: [{ name: "a" }, { id: 2 }], errors: [] });
    expect(reply.receipts).toEqual([
      { index: 0, key_hash: keyHash("a"), outcome: "created", revision, event_id: "r/0" },
      { index: 1, key_hash: keyHash({ id: 2 }), outcome: "created", revision: revision + 1, event_id: "r/1" },
    ]);
  });

  it("sends each tier its own entries and returns one reply for all", async () => {
    const plugins = { working: new MapPlugin(), semantic: new MapPlugin() };
    const fixture = await HostFixture.start({ plugins });
    const reply = await fixture.store([
      { key: "a", content: "first", tier: "semantic" },
      { key: "b", content: "second" },
      { key: "a", content: "third", tier: "working" },
    ]);
    expect(reply.stored).toEqual([{ name: "a" }, { name: "b" }, { name: "a" }]);
    expect(contents(await fixture.retrieve({ tier: "semantic" }))).toEqual(["first"]);
    expect(contents(await fixture.retrieve({ tier: "working", order: "oldest" }))).toEqual([
      "second",
      "third",
    ]);
  });

  it("uses a session in the working tier, and no agent in the semantic tier", async () => {
    const plugins = { working: new MapPlugin(), semantic: new MapPlugin() };
    const fixture = await HostFixture.start({ plugins });
    await fixture.store([{ key: "a", content: "mine" }], { session_id: "s1" });
    await fixture.store([{ key: "a", content: "ours", tier: "semantic" }], { session_id: "s1" });
    expect(contents(await fixture.retrieve({ session_id: "s1" }))).toEqual(["mine", "ours"]);
    expect(contents(await fixture.retrieve({ session_id: "s2" }))).toEqual(["ours"]);
    expect(contents(await fixture.retrieve({ session_id: "s1" }, "bob"))).toEqual(["ours"]);
    expect(contents(await fixture.retrieve({ namespace: "other" }))).toEqual([]);
  });

  it("takes the expiry from expires_at, else from ttl, counted from receipt", async () => {
    const fixture = await HostFixture.start();
    await fixture.store([
      { key: "ttl", content: 1, ttl: 60 },
      { key: "both", content: 2, ttl: 60, expires_at: 1_800_000_030 },
      { key: "none", content: 3, ttl: 0, expires_at: null },
    ]);
    const { entries } = await fixture.retrieve({ order: "oldest" });
    expect(entries).toMatchObject([
      { ttl: 60, expires_at: 1_800_000_060 },
      { ttl: 30, expires_at: 1_800_000_030 },
      { ttl: null },
    ]);
  });

  it("stores an expired entry, unless it expired before any retry could arrive", async () => {
    const fixture = await HostFixture.start();
    const reply = await fixture.store([
      { key: "late", content: 1, expires_at: 1_799_999_400 },
      { key: "never", content: 1, expires_at: 1_799_999_399 },
    ]);
    expect(reply.stored).toEqual([{ name: "late" }]);
    expect(reply.errors).toMatchObject([
      { index: 1, code: "schema_violation", detail: { path: "expires_at" } },
    ]);
    expect((await fixture.retrieve()).total).toBe(0);
  });
});

describe("a refused entry", () => {
  it("never makes other entries fail", async () => {
    const fixture = await HostFixture.start();
    const reply = await fixture.store([
      { key: {}, content: 1 },
      { key: "no content" },
      { key: "good", content: 1 },
      { key: "tier", content: 1, tier: "semantic" },
    ]);
    expect(reply.stored).toEqual([{ name: "good" }]);
    expect(reply.errors).toMatchObject([
      { index: 0, key: null, code: "schema_violation", retryable: false },
      { index: 1, key: { name: "no content" }, code: "schema_violation", detail: { path: "content" } },
      { index: 3, key: { name: "tier" }, code: "unsupported", detail: { tier: "semantic" } },
    ]);
  });

  it("is the earlier of two valid entries with the same key and tier", async () => {
    const fixture = await HostFixture.start();
    const reply = await fixture.store([
      { key: { a: 1, b: 2 }, content: "first" },
      { key: "x", content: "other" },
      { key: { b: 2, a: 1 }, content: "second" },
      { key: { a: 1, b: 2 }, content: "bad", ttl: -1 },
    ]);
    expect(reply.stored).toEqual([{ name: "x" }, { a: 1, b: 2 }]);
    expect(reply.errors).toMatchObject([
      { index: 0, code: "conflict" },
      { index: 3, code: "schema_violation" },
    ]);
    expect(contents(await fixture.retrieve({ order: "oldest" }))).toEqual(["other", "second"]);
  });

  it("may need a feature that its tier does not support", async () => {
    const plugins = { working: new MapPlugin({ ttl: false, conditional: false }) };
    const fixture = await HostFixture.start({ plugins });
    const reply = await fixture.store([
      { key: "a", content: 1, ttl: 5 },
      { key: "b", content: 1, if_revision: 0 },
      { key: "c", content: 1, ttl: 0 },
    ]);
    expect(reply.stored).toEqual([{ name: "c" }]);
    expect(reply.errors).toMatchObject([
      { index: 0, code: "unsupported", detail: { tier: "working", feature: "ttl" } },
      { index: 1, code: "unsupported", detail: { feature: "conditional" } },
    ]);
  });

  it("may be refused by the plugin, with its error", async () => {
    const fixture = await HostFixture.start();
    const [receipt] = (await fixture.store([{ key: "a", content: 1 }])).receipts as {
      revision: number;
    }[];
    const reply = await fixture.store([{ key: "a", content: 2, if_revision: 7 }]);
    expect(reply.errors).toMatchObject([{ code: "conflict", detail: { revision: receipt!.revision } }]);
  });

  it("is one over 256 KiB, or one with a vector of another model or length", async () => {
    const embedder = { id: "m1", dimensions: 2, embed: async () => [] };
    const fixture = await HostFixture.start({ embedder });
    const { errors } = await fixture.store([
      { key: "a", content: "x".repeat(262_144) },
      { key: "b", content: 1, embedding: [1, 0], embedding_model: "m2" },
      { key: "c", content: 1, embedding: [1, 0, 0], embedding_model: "m1" },
      { key: "d", content: 1, embedding: [1, 0], embedding_model: "m1" },
    ]);
    expect(errors).toMatchObject([
      { index: 0, code: "too_large", detail: { limit: "entryBytes", max: 262_144 } },
      { index: 1, code: "schema_violation", detail: { path: "embedding_model", expected: "m1" } },
      { index: 2, code: "schema_violation", detail: { path: "embedding", expected: 2, got: 3 } },
    ]);
  });
});
