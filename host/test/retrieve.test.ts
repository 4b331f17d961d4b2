import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { BlockingPlugin } from "./blocking-plugin.js";
import { contents, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const down = async () => Promise.reject(new MemoryError("unavailable", "disk is away"));

async function startTwo(semantic: MapPlugin) {
  const fixture = await HostFixture.start({ plugins: { working: new MapPlugin(), semantic } });
  await fixture.store([
    { key: "a", content: "tea", tier: "working" },
    { key: "a", content: "green tea", tier: "semantic" },
  ]);
  return fixture;
}

describe("retrieve", () => {
  it("without a tier searches all tiers, best first, and is not degraded", async () => {
    const fixture = await startTwo(new MapPlugin());
    const reply = await fixture.retrieve({ query: "green tea" });
    expect(contents(reply)).toEqual(["green tea", "tea"]);
    expect(reply).toMatchObject({ type: "memory/retrieve/resp", total: 2, total_relation: "eq" });
    expect(reply).not.toHaveProperty("degraded");
    expect(Object.keys(reply.took_ms as object)).toEqual(["total", "working", "semantic"]);
  });

  it("applies min_score before the limit and the total", async () => {
    const fixture = await startTwo(new MapPlugin());
    expect(await fixture.retrieve({ query: "green tea", min_score: 0.6 })).toMatchObject({
      total: 1,
      entries: [{ score: 1 }],
    });
  });

  it("never returns expired entries", async () => {
    const fixture = await HostFixture.start();
    await fixture.store([{ key: "a", content: 1, ttl: 10 }]);
    await fixture.clock.advance(9_000);
    expect((await fixture.retrieve()).total).toBe(1);
    await fixture.clock.advance(1_000);
    expect((await fixture.retrieve()).total).toBe(0);
  });

  it("names the tier that fails, and returns the entries of the others", async () => {
    const semantic = new MapPlugin();
    const fixture = await startTwo(semantic);
    semantic.onRetrieve = down;
    const reply = await fixture.retrieve();
    expect(contents(reply)).toEqual(["tea"]);
    expect(reply.degraded).toEqual([{ tier: "semantic", code: "unavailable", message: "disk is away" }]);
    expect(reply).toMatchObject({ total: 1, total_relation: "gte" });
  });

  it("names a tier that is too slow, early enough to answer without it", async () => {
    const semantic = new BlockingPlugin();
    const fixture = await HostFixture.start({ plugins: { working: new MapPlugin(), semantic } });
    const requests = fixture.retrieve({ deadline_ms: 1_000 });
    await semantic.untilBlocked(1);
    await fixture.clock.advance(910);
    expect((await requests).degraded).toMatchObject([{ tier: "semantic", code: "timeout" }]);
    semantic.release();
  });

  it("fails with the first tier's error if every tier fails", async () => {
    const semantic = new MapPlugin();
    const fixture = await startTwo(semantic);
    semantic.onRetrieve = down;
    expect(await fixture.retrieve({ tier: "semantic" })).toMatchObject({
      type: "error",
      code: "unavailable",
    });
  });

  it.each([
    [{ working: "unavailable", semantic: "too_large" }, "too_large"],
    [{ semantic: "too_large" }, "too_large"],
    [{ working: "schema_violation" }, "schema_violation"],
  ] as const)("fails if a tier finds an error in the request itself: %o is %s", async (codes, expected) => {
    const plugins = { working: new MapPlugin(), semantic: new MapPlugin() };
    const fixture = await HostFixture.start({ plugins });
    for (const [tier, code] of Object.entries(codes)) {
      const refuse = async () => Promise.reject(new MemoryError(code, "no", { limit: tier }));
      plugins[tier as keyof typeof plugins].onRetrieve = refuse;
    }
    expect(await fixture.retrieve({ namespace: "a/**" })).toMatchObject({ type: "error", code: expected });
  });

  it.each(["runtime_error", "unauthorized", "overloaded", "memory_not_found", "conflict"] as const)(
    "is only degraded if a tier fails with %s, because the others have answered",
    async (code) => {
      const semantic = new MapPlugin();
      const fixture = await startTwo(semantic);
      semantic.onRetrieve = async () => Promise.reject(new MemoryError(code, "no"));
      const reply = await fixture.retrieve();
      expect([contents(reply), reply.degraded]).toEqual([
        ["tea"],
        [{ tier: "semantic", code, message: "no" }],
      ]);
    },
  );

  it("passes on the degradation that a plugin reports", async () => {
    const working = new MapPlugin();
    const degraded = new MemoryError("unavailable", "the embedder is away");
    const honest = working.onRetrieve.bind(working);
    working.onRetrieve = async (...args) => ({ ...(await honest(...args)), degraded });
    const fixture = await HostFixture.start({ plugins: { working } });
    const reply = await fixture.retrieve({ query: "tea" });
    expect(reply.degraded).toEqual([
      { tier: "working", code: "unavailable", message: "the embedder is away" },
    ]);
  });
});

describe("a retrieve that requires a feature", () => {
  const semantic = () => new MapPlugin({ similarity: true, subtree: false });

  it.each([
    [{ mode: "vector", query: "tea" }, "similarity"],
    [{ namespace: "a/**", tier: "semantic" }, "subtree"],
    [{ requires: ["durable"] }, "durable"],
  ])("%o from a named tier without it is unsupported", async (fields, feature) => {
    const fixture = await startTwo(semantic());
    const answer = await fixture.retrieve({ tier: "working", ...fields });
    expect(answer).toMatchObject({ code: "unsupported", detail: { feature } });
  });

  it("is answered by the tiers that have it, and names the others", async () => {
    const fixture = await startTwo(semantic());
    const reply = await fixture.retrieve({ mode: "vector", query: "tea" });
    expect(contents(reply)).toEqual(["green tea"]);
    expect(reply.degraded).toMatchObject([{ tier: "working", code: "unsupported" }]);
  });

  it("with mode hybrid requires no feature: each tier ranks as it can", async () => {
    const fixture = await startTwo(semantic());
    expect(await fixture.retrieve({ mode: "hybrid", query: "tea" })).not.toHaveProperty("degraded");
  });

  it("to rank is refused by a tier that cannot rank", async () => {
    const fixture = await HostFixture.start({ plugins: { working: new MapPlugin({ full_text: false }) } });
    expect(await fixture.retrieve({ query: "tea" })).toMatchObject({
      code: "unsupported",
      detail: { tier: "working", feature: "similarity" },
    });
    expect(await fixture.retrieve({ mode: "vector" })).toMatchObject({ total: 0 });
  });
});
