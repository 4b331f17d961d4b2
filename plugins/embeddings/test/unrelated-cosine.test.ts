import type { Clock } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { createStaticEmbedder, withUnrelatedCosine } from "../src/index.js";
import { UNRELATED_QUERIES, UNRELATED_TEXTS } from "../src/unrelated/unrelated-texts.js";

/** Timers that the test runs on request. */
const later: (() => void)[] = [];
const clock: Clock = {
  now: () => 0,
  after(_delayMs, run) {
    later.push(run);
    return () => {};
  },
};

/** Returns an embedder with one vector for all texts of a kind. */
function embedderOf(vectorOf: (kind: string) => Float32Array | null) {
  const calls: string[] = [];
  const state = { fails: false };
  const embedder: Embedder = {
    id: "test/2",
    dimensions: 2,
    async embed(texts, kind) {
      calls.push(kind);
      if (state.fails) throw new Error("away");
      return texts.map(() => vectorOf(kind));
    },
  };
  return { calls, state, embedder: withUnrelatedCosine(embedder, { clock }) };
}

describe("withUnrelatedCosine", () => {
  it("measures the value that relevance is calibrated for with the default embedder", async () => {
    const measured = await withUnrelatedCosine(createStaticEmbedder(), { clock }).unrelatedCosine!();
    expect(Math.abs(measured - 0.115)).toBeLessThan(0.005);
  });

  it("embeds queries as queries and texts as documents, once, on first use", async () => {
    const { calls, embedder } = embedderOf((kind) =>
      kind === "query" ? Float32Array.of(1, 0) : Float32Array.of(0.6, 0.8),
    );
    await embedder.embed(["a"], "document");
    expect(calls).toEqual(["document"]);
    expect(await Promise.all([embedder.unrelatedCosine!(), embedder.unrelatedCosine!()])).toEqual([0.6, 0.6]);
    await embedder.unrelatedCosine!();
    expect(calls).toEqual(["document", "query", "document"]);
  });

  it("treats a text without a vector as unrelated", async () => {
    expect(await embedderOf(() => null).embedder.unrelatedCosine!()).toBe(0);
  });

  it("fails as its embedder does, and retries after a while", async () => {
    const { calls, embedder, state } = embedderOf(() => Float32Array.of(0.6, 0.8));
    state.fails = true;
    for (let time = 0; time < 3; time++) await expect(embedder.unrelatedCosine!()).rejects.toThrow("away");
    expect(calls.length).toBe(2);
    state.fails = false;
    for (const run of later.splice(0)) run();
    expect(await embedder.unrelatedCosine!()).toBe(0.98);
  });

  it("refuses vectors without a cosine", async () => {
    const { embedder } = embedderOf((kind) => new Float32Array(kind === "query" ? 3 : 2));
    await expect(embedder.unrelatedCosine!()).rejects.toMatchObject({ code: "runtime_error" });
  });

  it("uses texts that share no longer word", () => {
    const words = [...UNRELATED_QUERIES, ...UNRELATED_TEXTS].flatMap((text) => [
      ...new Set(text.toLowerCase().match(/[a-z]{5,}/g) ?? []),
    ]);
    const common = new Set([
      "where",
      "there",
      "until",
      "behind",
      "without",
      "hours",
      "needs",
      "about",
      "their",
    ]);
    expect(words.filter((word, at) => words.indexOf(word) !== at && !common.has(word))).toEqual([]);
  });
});
