import type { Embedder } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { createStaticEmbedder, withUnrelatedCosine } from "../src/index.js";
import { UNRELATED_QUERIES, UNRELATED_TEXTS } from "../src/unrelated/unrelated-texts.js";

/** Gives all texts of a kind the same vector. */
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
  return { calls, state, embedder: withUnrelatedCosine(embedder) };
}

describe("withUnrelatedCosine", () => {
  it("measures what relevance is calibrated for with the default embedder", async () => {
    const measured = await withUnrelatedCosine(createStaticEmbedder()).unrelatedCosine!();
    expect(Math.abs(measured - 0.115)).toBeLessThan(0.005);
  });

  it("embeds queries as queries and texts as documents, once, and not before it is asked", async () => {
    const { calls, embedder } = embedderOf((kind) =>
      kind === "query" ? Float32Array.of(1, 0) : Float32Array.of(0.6, 0.8),
    );
    await embedder.embed(["a"], "document");
    expect(calls).toEqual(["document"]);
    expect(await Promise.all([embedder.unrelatedCosine!(), embedder.unrelatedCosine!()])).toEqual([0.6, 0.6]);
    await embedder.unrelatedCosine!();
    expect(calls).toEqual(["document", "query", "document"]);
  });

  it("takes a text without a vector for one that has nothing to do with any", async () => {
    expect(await embedderOf(() => null).embedder.unrelatedCosine!()).toBe(0);
  });

  it("fails as its embedder does, and then tries again", async () => {
    const { embedder, state } = embedderOf(() => Float32Array.of(0.6, 0.8));
    state.fails = true;
    await expect(embedder.unrelatedCosine!()).rejects.toThrow("away");
    state.fails = false;
    expect(await embedder.unrelatedCosine!()).toBe(0.98);
  });

  it("has texts of which none repeats a longer word of another", () => {
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
