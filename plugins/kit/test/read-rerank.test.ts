import { MemoryError } from "@membus/protocol";
import type { Reranker } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { settled } from "./kit-fixture.js";
import { kitWith, names } from "./steering-fixture.js";

const ENTRIES = ["one", "two", "three"].map((name) => ({ key: name, content: `a heron, ${name}` }));
const query = { query: "heron", mode: "text", rerank: true } as const;

/** Returns the number after the comma of each text as its score, unless it is set to do otherwise. */
class ScriptedReranker implements Reranker {
  readonly id = "scripted";
  readonly calls: { readonly query: string; readonly texts: readonly string[] }[] = [];
  signal: AbortSignal | undefined;
  answer = async (texts: readonly string[]): Promise<number[]> =>
    texts.map((text) => (text.endsWith("three") ? 0.9 : text.endsWith("two") ? 0.6 : 0.3));

  async rerank(asked: string, texts: readonly string[], options: { signal?: AbortSignal } = {}) {
    this.calls.push({ query: asked, texts });
    this.signal = options.signal;
    return this.answer(texts);
  }
}

async function open(entries: Parameters<typeof kitWith>[0] = ENTRIES) {
  const reranker = new ScriptedReranker();
  return { reranker, ...(await kitWith(entries, { reranker, embedder: null })) };
}

describe("reranking (clauses RET-34 and RET-35)", () => {
  it("uses the reranker's scores as relevance, and explains them", async () => {
    const { find, reranker, plugin } = await open();
    expect(plugin.manifest.features.rerank).toBe(true);
    const { entries, total, degraded, took_ms } = await find({ ...query, explain: true });
    expect(names(entries)).toEqual(["three", "two", "one"]);
    expect(entries.map(({ score }) => score)).toEqual([0.9, 0.6, 0.3]);
    expect(entries[0]!.explain).toMatchObject({ rerank: 0.9, importance: 1 });
    expect([total, degraded]).toEqual([3, undefined]);
    expect(took_ms).toHaveProperty("rerank");
    const [{ query: asked, texts }] = reranker.calls as [(typeof reranker.calls)[0]];
    expect([asked, [...texts].sort()]).toEqual(["heron", ["a heron, one", "a heron, three", "a heron, two"]]);
  });

  it("applies importance, recency, min_score and the limit to the scores", async () => {
    const { find, store, clock } = await open();
    await store([{ key: "three", content: "a heron, three", importance: 0.5 }]);
    const { entries, total } = await find({ ...query, min_score: 0.4 });
    expect(entries.map(({ key, score }) => [key.name, score])).toEqual([
      ["three", 0.9 * 0.875],
      ["two", 0.6],
    ]);
    expect(total).toBe(3);
    const aged = await find({
      ...query,
      limit: 1,
      as_of: clock.now() + 10,
      recency: { half_life_s: 10, weight: 1 },
    });
    expect(aged.entries.map(({ key, score }) => [key.name, score])).toEqual([["three", (0.9 * 0.875) / 2]]);
  });

  it("receives the best 50 hits, and drops the others", async () => {
    const many = Array.from({ length: 80 }, (_, index) => ({ key: `k${index}`, content: `heron, two` }));
    const { find, reranker } = await open(many);
    const { entries, total } = await find({ ...query, limit: 70 });
    expect([entries.length, total, reranker.calls[0]!.texts.length]).toEqual([50, 80, 50]);
  });

  it.each<[string, ScriptedReranker["answer"], string]>([
    ["is down", () => Promise.reject(new MemoryError("unavailable", "down")), "unavailable"],
    ["is busy", () => Promise.reject(new MemoryError("overloaded", "busy")), "overloaded"],
    ["throws", () => Promise.reject(new TypeError("broken")), "unavailable"],
    ["returns too few scores", async () => [1], "unavailable"],
    ["returns a score that is not a number", async (texts) => texts.map(() => Number.NaN), "unavailable"],
    ["returns a score above 1", async (texts) => texts.map(() => 1.5), "unavailable"],
  ])("keeps the original order if the reranker %s", async (_name, answer, code) => {
    const { find, reranker } = await open();
    const plain = await find({ query: "heron", mode: "text", limit: 2 });
    reranker.answer = answer;
    const { entries, degraded, total } = await find({ ...query, limit: 2, explain: true });
    expect(entries.map(({ key, score }) => [key, score])).toEqual(
      plain.entries.map(({ key, score }) => [key, score]),
    );
    expect([degraded?.code, total]).toEqual([code, 3]);
    expect(entries[0]!.explain).not.toHaveProperty("rerank");
  });

  it("waits no longer than the option, and then aborts the reranker", async () => {
    const { find, reranker, clock } = await open();
    reranker.answer = () => new Promise(() => {});
    const asked = find(query);
    await settled();
    clock.advance(2);
    expect((await asked).degraded).toMatchObject({ code: "unavailable" });
    expect(reranker.signal!.aborted).toBe(true);
  });

  it("is rejected if the host has no reranker", async () => {
    const { find, plugin } = await kitWith(ENTRIES);
    expect(plugin.manifest.features.rerank).toBe(false);
    await expect(find(query)).rejects.toMatchObject({ code: "unsupported" });
  });
});
