import type { Json, Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { openFixture } from "./client-fixture.js";

const PAGE = { entries: [], total: 0, total_relation: "eq", took_ms: { total: 1 } };
const retrieving = { answer: () => PAGE as Message };

describe("retrieve", () => {
  it("sends the criteria unchanged and returns the page", async () => {
    const entry = { key: { id: "fact1" }, content: 1, later_field: true };
    const page = { ...PAGE, entries: [entry], total: 1, cursor: "c" };
    const { client, host } = await openFixture({ answer: () => page });
    const request = { query: "solar system", tier: "semantic", limit: 5, min_score: 0.3 } as const;
    expect(await client.retrieve(request)).toEqual(page);
    expect(host.requests[0]!.subject).toBe("a2e.default.alice.memory.retrieve.req");
    expect(host.bodies).toEqual([{ ...request, namespace: "default" }]);
  });

  it("needs no criteria and ignores undefined and null", async () => {
    const { client, host } = await openFixture(retrieving);
    await client.retrieve();
    await client.retrieve({ query: undefined, tags: null, tier: null, namespace: null, cursor: "" });
    expect(host.bodies).toEqual([{ namespace: "default" }, { namespace: "default" }]);
  });

  it("reports tiers that did not answer", async () => {
    const degraded = [{ tier: "semantic", code: "unavailable", message: "down" }];
    const { client } = await openFixture({ answer: () => ({ ...PAGE, degraded }) });
    expect(await client.retrieve()).toEqual({ ...PAGE, degraded });
  });

  it("sends ranking options and returns explanations", async () => {
    const explain = [
      { tier: "semantic", analyzer: "a", embedder: null, generation: null, candidates: 1, terms: [] },
    ];
    const { client, host } = await openFixture({ answer: () => ({ ...PAGE, explain }) as Message });
    const request = {
      query: "heron",
      fields: ["text"],
      recency: { half_life_s: 60, weight: 1 },
      diversity: 0.5,
      expand: { before: 1, after: 0 },
      explain: true,
      rerank: true,
    } as const;
    expect(await client.retrieve(request as never)).toEqual({ ...PAGE, explain });
    expect(host.bodies).toEqual([{ ...request, namespace: "default" }]);
  });

  it.each([{ diversity: 0.5 }, { rerank: true }])("cannot be iterated with %j", async (steering) => {
    const { client, host } = await openFixture(retrieving);
    const first = client.entries({ query: "heron", ...steering }).next();
    await expect(first).rejects.toThrow(
      new TypeError("`diversity` and `rerank` return a single page and cannot be iterated. Use retrieve()"),
    );
    expect(host.requests).toEqual([]);
  });

  it.each([
    ["another namespace", { namespace: "b/**" }, "b/**"],
    ["no namespace", { namespace: "" }, "a"],
  ])("uses the view's namespace by default: %s", async (_name, request, namespace) => {
    const { client, host } = await openFixture({ ...retrieving, client: { namespace: "a" } });
    await client.retrieve(request);
    expect(host.bodies).toEqual([{ namespace }]);
  });

  it("uses MessagePack to request or send vectors", async () => {
    const { client, host } = await openFixture(retrieving);
    await client.retrieve({ include: ["embedding"] });
    await client.retrieve({ embedding: [1, 2], embedding_model: "m" });
    await client.retrieve({ include: ["context"] });
    expect(host.requests.map(({ encoding }) => encoding)).toEqual(["msgpack", "msgpack", "json"]);
    expect(host.bodies[1]!.embedding).toEqual(Float32Array.of(1, 2));
  });
});

function nested(levels: number): Json {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe("invalid requests throw TypeErrors before anything is sent", () => {
  it.each([
    [{ minScore: 0.3 }, "unknown field `minScore` (did you mean `min_score`?)"],
    [{ quary: "x" }, "unknown field `quary` (did you mean `query`?)"],
    [{ session_id: "s" }, "`session_id` is set by the client, remove it from the call"],
    [{ id: "x" }, "`id` is set by the client, remove it from the call"],
    [{ tier: "smantic" }, "tier"],
    [{ limit: 1e308 }, "limit"],
    [{ min_score: Number.NaN }, "min_score must be a finite number"],
    [{ match: { a: () => 1 } }, "match.a has type function, which a message cannot carry"],
    [{ where: { field: "metadata.a", op: "is", value: 1 } }, "where.op"],
    [{ embedding: [1] }, "embedding_model"],
    [{ keys: "a" }, "keys"],
    [{ namespace: "a//b" }, "namespace"],
    [{ recency: { half_life: 60 } }, "recency"],
    [{ query: "a", diversity: 2 }, "diversity"],
    [{ expand: { before: 21 } }, "expand.before"],
    [{ query: "a", diversity: 0.5, cursor: "c" }, "cursor"],
    [{ rerank: true }, "rerank"],
  ])("%j", async (request, message) => {
    const { client, host } = await openFixture(retrieving);
    const retrieval = client.retrieve(request as never);
    await expect(retrieval).rejects.toThrow(TypeError);
    await expect(retrieval).rejects.toThrow(message);
    expect(host.requests).toEqual([]);
  });

  it("a cycle", async () => {
    const { client } = await openFixture(retrieving);
    const cycle: Json[] = [];
    cycle.push(cycle);
    const message = "depth is at most 64, got 65 (the value may contain a cycle)";
    await expect(client.retrieve({ match: { a: cycle } })).rejects.toThrow(new TypeError(message));
  });

  it("too large requests throw a MemoryError", async () => {
    const { client, host } = await openFixture(retrieving);
    await rejection(client.retrieve({ query: "x".repeat(8_193), cursor: undefined }), "too_large");
    await rejection(client.retrieve({ embedding: Array(4_097).fill(1), embedding_model: "m" }), "too_large");
    await rejection(client.retrieve({ match: { a: nested(70) } }), "too_large");
    await rejection(client.retrieve({ tags: Array(257).fill("t") }), "too_large");
    expect(host.requests).toEqual([]);
  });
});

describe("forget", () => {
  const receipt = { id: "f", at: 1, by_tier: { working: 2 }, purge: "done" };
  const forgetting = { answer: () => ({ deleted: 2, receipt }) as Message };

  it("sends the criteria unchanged and returns the number of deleted entries", async () => {
    const { client, host } = await openFixture(forgetting);
    const criteria = { tags: ["temp"], tier: "working" as const, dry_run: true };
    expect(await client.forget(criteria, { id: "f1" })).toEqual({ deleted: 2, receipt, requestId: "f1" });
    expect(host.requests[0]!.message).toMatchObject({ type: "memory/forget/req", id: "f1" });
    expect(host.bodies).toEqual([{ ...criteria, namespace: "default" }]);
  });

  it.each([
    [{}, "would forget every entry: set `all: true`"],
    [{ tier: "semantic" }, "would forget every entry"],
    [{ tags: [] }, "tags"],
    [{ keys: [] }, "keys"],
    [{ namespace: "" }, "namespace"],
    [{ dryRun: true }, "unknown field `dryRun` (did you mean `dry_run`?)"],
  ])("refuses %j", async (criteria, message) => {
    const { client, host } = await openFixture(forgetting);
    const forgotten = client.forget(criteria as never);
    await expect(forgotten).rejects.toThrow(TypeError);
    await expect(forgotten).rejects.toThrow(message);
    expect(host.requests).toEqual([]);
  });
});
