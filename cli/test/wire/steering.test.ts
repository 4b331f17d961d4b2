import type { MemoryClient, RetrieveRequest } from "@membus/agent-client";
import { connectNatsBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { launchNatsServer } from "@membus/nats-server";
import { createLruPlugin } from "@membus/plugin-lru";
import { MemoryError, systemClock } from "@membus/protocol";
import type { Reranker } from "@membus/protocol/plugin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { RecordingLogger } from "../../../bus/test/recording-logger.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const DAY = 86_400;
const TIERS = ["working", "episodic", "semantic"] as const;

function talk(tier: (typeof TIERS)[number]) {
  const turns = ["we saw a heron", "it caught a fish in the lake", "then it began to rain"];
  return turns.map((content, n) => ({
    key: { n },
    content,
    tier,
    group: "walk",
    occurred_at: 1e9 + n * DAY,
  }));
}

describe("a retrieve with ranking options over the wire", () => {
  let wire: Wire;
  let memory: MemoryClient;

  beforeAll(async () => {
    wire = await Wire.start({ binary: NATS_SERVERS[0]! });
    memory = await wire.client("alice");
    for (const tier of TIERS) await memory.store(talk(tier));
  });
  afterAll(() => wire?.close());

  it.each(TIERS)("of the %s tier returns neighbours and explanations in either encoding", async (tier) => {
    const packing = await wire.client("alice", { encoding: "msgpack" });
    const request: RetrieveRequest = {
      tier,
      query: "fish lake",
      limit: 1,
      explain: true,
      expand: { before: 1, after: 1 },
    };
    for (const client of [memory, packing]) {
      const { entries, explain, took_ms } = await client.retrieve(request);
      const [{ key, neighbours, explain: why, score }] = entries as [(typeof entries)[0]];
      expect(key).toEqual({ n: 1 });
      expect(neighbours!.before.map((entry) => entry.key)).toEqual([{ n: 0 }]);
      expect(neighbours!.after.map((entry) => entry.key)).toEqual([{ n: 2 }]);
      expect(why!.terms.map(({ term }) => term)).toEqual(["fish", "lake"]);
      expect(why!.relevance * why!.importance * why!.recency).toBeCloseTo(score, 6);
      expect(explain).toMatchObject([
        { tier, analyzer: "multilingual-7", candidates: 3, terms: ["fish", "lake"] },
      ]);
      expect(explain![0]!.generation).toBe(explain![0]!.embedder);
      expect(Object.keys(took_ms)).toEqual(
        expect.arrayContaining(["total", `${tier}.search`, `${tier}.read`]),
      );
    }
  });

  it("returns the passages of long entries of all tiers in one page, in either encoding", async () => {
    const text = Array.from({ length: 40 }, (_, n) => `Paragraph ${n}: ${"nothing to see. ".repeat(20)}`)
      .with(30, "At dawn an egret stood in the reeds.")
      .join("\n\n");
    const long = memory.inNamespace("long");
    for (const tier of TIERS) await long.store({ key: "long", content: { text, about: "birds" }, tier });
    const packing = (await wire.client("alice", { encoding: "msgpack" })).inNamespace("long");
    for (const client of [long, packing]) {
      const { entries } = await client.retrieve({
        query: "egret in the reeds",
        include: ["snippet"],
        explain: true,
      });
      expect(entries.map(({ tier }) => tier)).toEqual(TIERS);
      for (const { snippet, explain } of entries) {
        const { text: passage, start } = snippet!;
        expect(passage).toContain("an egret stood");
        expect(text.slice(start, start + passage.length)).toBe(passage);
        expect(passage.length).toBeLessThanOrEqual(2_048);
        expect(explain!.passage).toEqual({ start, end: start + passage.length });
      }
    }
    expect((await long.retrieve({ query: "egret" })).entries[0]).not.toHaveProperty("snippet");
  });

  it("prefers newer entries with recency", async () => {
    const entries = ["old", "new"].map((name, n) => ({
      key: { name },
      content: "the same words",
      tier: "episodic" as const,
      occurred_at: 1e9 + n * 365 * DAY,
    }));
    const recent = memory.inNamespace("recent");
    await recent.store(entries);
    const query = { tier: "episodic", query: "same words", recency: { half_life_s: 1000 * DAY } } as const;
    const found = await recent.retrieve(query);
    expect(found.entries.map(({ key }) => key.name)).toEqual(["new", "old"]);
    const full = await recent.retrieve({ ...query, recency: { half_life_s: 1000 * DAY, weight: 0 } });
    expect(new Set(full.entries.map(({ score }) => score)).size).toBe(1);
  });

  it("merges tiers without filling the page with near-duplicates", async () => {
    const varied = memory.inNamespace("varied");
    const flood = Array.from({ length: 12 }, (_, n) => ({
      key: { flood: n },
      content: `the heron ate a fish at the lake, note ${n}`,
    }));
    for (const tier of ["working", "semantic"] as const) {
      await varied.store(flood.map((entry) => ({ ...entry, tier })));
      const other = { key: { other: tier }, content: "herons nest in tall trees far from any water" };
      await varied.store([{ ...other, tier }]);
    }
    const query = { query: "heron fish", limit: 4 };
    const others = (page: Awaited<ReturnType<MemoryClient["retrieve"]>>) =>
      page.entries.filter(({ key }) => "other" in key).length;
    const plain = await varied.retrieve(query);
    expect([others(plain), plain.entries.length]).toEqual([0, 4]);
    const one = await varied.retrieve({ ...query, tier: "semantic", diversity: 0.8 });
    expect([others(one), one.entries.length, one.cursor]).toEqual([1, 4, undefined]);
    const merged = await varied.retrieve({ ...query, diversity: 0.8 });
    expect(merged.total).toBe(plain.total);
    expect(merged.entries[0]!.score).toBe(plain.entries[0]!.score);
    const scores = merged.entries.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it("searches words only in the given fields", async () => {
    const entry = { key: "k", content: "plain words", context: "talk of herons", tier: "semantic" as const };
    const held = memory.inNamespace("held");
    await held.store([entry]);
    const find = (fields: RetrieveRequest["fields"]) =>
      held.retrieve({ query: "herons", mode: "text", tier: "semantic", fields });
    expect((await find(["text"])).total).toBe(0);
    expect((await find(["context"])).total).toBe(1);
    expect((await find(undefined)).entries[0]).not.toHaveProperty("context");
  });

  it("is rejected for an invalid field, or without a reranker", async () => {
    const nats = await wire.connection();
    const retrieve = (fields: object) => ask(nats, "alice", "memory/retrieve/req", { query: "a", ...fields });
    expect(await retrieve({ recency: { half_life_s: 0 } })).toMatchObject({
      code: "schema_violation",
      detail: { path: "recency.half_life_s" },
    });
    expect(await retrieve({ expand: { before: 1, around: 2 } })).toMatchObject({
      code: "schema_violation",
      detail: { path: "expand.around" },
    });
    expect(await retrieve({ rerank: true })).toMatchObject({
      code: "unsupported",
      detail: { feature: "rerank" },
    });
  });
});

describe("reranking over the wire", () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  it("uses the host's reranker, and works without it when it fails", async () => {
    const server = await launchNatsServer({ binary: NATS_SERVERS[0]! });
    cleanups.push(() => server.kill());
    const dependencies = { logger: new RecordingLogger(), clock: systemClock };
    const bus = await connectNatsBus({ servers: server.url }, dependencies);
    cleanups.push(() => bus.close());
    let isDown = false;
    const reranker: Reranker = {
      id: "by-length",
      rerank: async (_query, texts) => {
        if (isDown) throw new MemoryError("unavailable", "the reranker is down");
        return texts.map((text) => Math.min(1, text.length / 100));
      },
    };
    const host = createHost({ bus, plugins: { working: createLruPlugin() }, reranker, ...dependencies });
    await host.start();
    cleanups.push(() => host.stop());
    const { MemoryClient } = await import("@membus/agent-client");
    const client = await MemoryClient.connect({ servers: server.url, agent: "alice" });
    cleanups.push(() => client.close());
    await client.store([
      { key: "short", content: "heron" },
      { key: "long", content: "a heron that we saw on our way home from the lake" },
    ]);
    const plain = await client.retrieve({ query: "heron" });
    const reranked = await client.retrieve({ query: "heron", rerank: true });
    expect(reranked.entries.map(({ key, score }) => [key.name, score])).toEqual([
      ["long", 0.49],
      ["short", 0.05],
    ]);
    isDown = true;
    const degraded = await client.retrieve({ query: "heron", rerank: true });
    expect(degraded.entries.map(({ key }) => key)).toEqual(plain.entries.map(({ key }) => key));
    expect(degraded.degraded).toEqual([
      { tier: "working", code: "unavailable", message: "the reranker is down" },
    ]);
    expect(degraded.cursor).toBeUndefined();
  });
});
