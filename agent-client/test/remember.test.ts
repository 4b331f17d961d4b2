import type { Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { openFixture } from "./client-fixture.js";

describe("remember", () => {
  it("stores a value under a key, with its score as importance", async () => {
    const { client, host } = await openFixture();
    const options = { tier: "episodic", tags: ["identity"], ttl: 60, score: 0.5, id: "r1" } as const;
    expect(await client.remember("user_name", "Alice", options)).toEqual({
      index: 0,
      key_hash: "0".repeat(64),
      outcome: "created",
      revision: 100,
    });
    expect(host.ids).toEqual(["r1"]);
    expect(host.bodies[0]!.entries).toEqual([
      { key: "user_name", content: "Alice", tier: "episodic", tags: ["identity"], ttl: 60, importance: 0.5 },
    ]);
  });

  it("sends only the given fields", async () => {
    const { client, host } = await openFixture();
    await client.remember({ user: 1 }, null);
    expect(host.bodies[0]!.entries).toEqual([{ key: { user: 1 }, content: null }]);
  });

  it("throws the error of its entry", async () => {
    const { client, host } = await openFixture();
    await rejection(client.remember("a", { refuse: "memory_full" }), "memory_full");
    const error = await rejection(client.remember("a", "x".repeat(300_000)), "too_large");
    expect(error.detail).toMatchObject({ limit: "entryBytes" });
    expect(host.requests).toHaveLength(1);
  });

  it("rejects a score out of range by its own name", async () => {
    const { client } = await openFixture();
    const remembering = client.remember("a", 1, { score: 5 });
    await expect(remembering).rejects.toThrow(new TypeError("score must be a number in 0..1, got 5"));
  });

  it("rejects an unknown option", async () => {
    const { client } = await openFixture();
    const remembering = client.remember("a", 1, { tag: ["x"] } as never);
    await expect(remembering).rejects.toThrow(new TypeError("unknown option `tag` (did you mean `tags`?)"));
    await expect(client.remember("a", undefined as never)).rejects.toThrow(TypeError);
  });
});

const inTier = (tier: string, content: unknown) => ({ key: { name: "k" }, tier, content });

function holding(entries: object[], degraded?: object[]) {
  const page = { entries, total: entries.length, total_relation: "eq", took_ms: {} };
  return {
    answer: (): Message => ({ ...page, ...(degraded && { degraded }) }),
    client: { retryTimeoutMs: 0 },
  };
}

describe("recall", () => {
  it("queries all tiers for a key with one request", async () => {
    const { client, host } = await openFixture(holding([inTier("working", "Alice")]));
    expect(await client.recall("user_name")).toBe("Alice");
    expect(host.bodies).toEqual([{ keys: ["user_name"], limit: 3, namespace: "default" }]);
  });

  it("prefers working over episodic over semantic", async () => {
    const all = [inTier("semantic", 3), inTier("episodic", 2), inTier("working", 1)];
    for (const count of [3, 2, 1]) {
      const { client } = await openFixture(holding(all.slice(0, count)));
      expect(await client.recall("k")).toBe(4 - count);
    }
  });

  it("distinguishes null content from an absent key", async () => {
    const nothing = await openFixture(holding([]));
    expect(await nothing.client.recall("k")).toBe(null);
    expect(await nothing.client.recall("k", "fallback")).toBe("fallback");
    const { client } = await openFixture(holding([inTier("episodic", null)]));
    expect(await client.recall("k", "fallback")).toBe(null);
  });

  it("queries only the given tier", async () => {
    const { client, host } = await openFixture(holding([]));
    await client.recall({ $hash: "0".repeat(64) }, null, { tier: "semantic", timeoutMs: 100 });
    expect(host.requests[0]!.message).toMatchObject({ tier: "semantic", deadline_ms: 100 });
    await expect(client.recall("k", null, { tier: "warm" as never })).rejects.toThrow(TypeError);
  });

  it("fails only if a tier of higher priority did not answer", async () => {
    const down = (tier: string) => ({ tier, code: "unavailable", message: `${tier} is down` });
    const later = await openFixture(holding([inTier("working", 1)], [down("semantic")]));
    expect(await later.client.recall("k")).toBe(1);
    const earlier = await openFixture(holding([inTier("semantic", 3)], [down("episodic")]));
    expect((await rejection(earlier.client.recall("k"), "unavailable")).message).toBe("episodic is down");
    const nowhere = await openFixture(holding([], [down("semantic")]));
    await rejection(nowhere.client.recall("k", "fallback"), "unavailable");
  });
});
