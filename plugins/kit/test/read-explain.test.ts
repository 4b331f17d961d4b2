import { describe, expect, it } from "vitest";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { kitWith } from "./steering-fixture.js";

const ENTRIES = [
  { key: { id: 1 }, content: "the heron stands in the lake", importance: 0.5, context: "birds of the marsh" },
  { key: { id: 2 }, content: "a heron in flight", group: "g", occurred_at: 1_799_913_600 },
  { key: { id: 3 }, content: "more of herons and the lake", group: "g" },
  { key: { id: 4 }, content: "an invoice" },
];

describe("explanations (clauses RET-31 to RET-33)", () => {
  it("combine to the score of each entry, for all ranking options", async () => {
    const { find } = await kitWith(ENTRIES);
    for (const steering of [{}, { recency: { half_life_s: 86_400, weight: 0.5 } }, { diversity: 0.5 }]) {
      const { entries } = await find({ query: "heron lake marsh", explain: true, limit: 3, ...steering });
      expect(entries.length).toBe(3);
      for (const { score, explain } of entries) {
        const { relevance, importance, recency } = explain!;
        expect(relevance * importance * recency).toBeCloseTo(score, 12);
      }
    }
  });

  it("list the words of an entry, their share, and their fields", async () => {
    const { find } = await kitWith(ENTRIES);
    const { entries } = await find({ query: "heron marsh", mode: "text", explain: true });
    const { terms, lexical, similarity, group } = entries.find(({ key }) => key.id === 1)!.explain!;
    expect(terms.map(({ term, fields }) => [term, fields])).toEqual([
      ["heron", ["text"]],
      ["marsh", ["context"]],
    ]);
    expect(terms.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(terms.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(lexical, 6);
    expect([similarity, group]).toEqual([null, 0]);
    expect(entries.find(({ key }) => key.id === 2)!.explain!.group).toBeGreaterThan(0);
  });

  it("have a similarity if there are two vectors, and name the embedder", async () => {
    const { find } = await kitWith(ENTRIES);
    const { entries, explain } = await find({ query: "a heron in flight", explain: true });
    expect(entries.find(({ key }) => key.id === 2)!.explain!.similarity).toBeCloseTo(1, 6);
    expect(explain).toMatchObject({ embedder: "scripted/8", generation: "scripted/8", candidates: 4 });
    expect(explain!.terms).toEqual(["heron", "flight"]);
  });

  it("report the cosine as similarity, and score it relative to unrelated texts", async () => {
    const embedder = new ScriptedEmbedder();
    const plain = await kitWith(ENTRIES, { embedder });
    const scaled = await kitWith(ENTRIES, {
      embedder: Object.assign(new ScriptedEmbedder(), { unrelatedCosine: async () => 0.6 }),
    });
    const request = { query: "a heron in the air", mode: "vector", explain: true } as const;
    const [before, after] = [await plain.find(request), await scaled.find(request)];
    const partsOf = ({ entries }: typeof before, id: number) =>
      entries.find(({ key }) => key.id === id)!.explain!;
    expect(partsOf(after, 2).similarity).toBe(partsOf(before, 2).similarity);
    expect(partsOf(after, 2).relevance).toBeLessThan(partsOf(before, 2).relevance);
    expect(after.entries.length).toBeLessThan(before.entries.length);
  });

  it("report that nothing was ranked without a query", async () => {
    const { find } = await kitWith(ENTRIES, { embedder: null });
    const { entries, explain } = await find({ explain: true, criteria: { group: "g" } });
    expect(entries[0]!.explain).toEqual({
      terms: [],
      lexical: 0,
      similarity: null,
      group: 0,
      relevance: 1,
      importance: 1,
      recency: 1,
      passage: { start: 0, end: 27 },
    });
    expect(explain).toMatchObject({ embedder: null, generation: null, candidates: 2, terms: [] });
  });

  it("are returned only on request", async () => {
    const { find } = await kitWith(ENTRIES);
    const { entries, explain, took_ms } = await find({ query: "heron" });
    expect(explain).toBeUndefined();
    for (const entry of entries) expect(entry).not.toHaveProperty("explain");
    expect(Object.keys(took_ms!)).toEqual(["query", "search", "read"]);
  });
});

describe("fields (clause RET-23)", () => {
  it("limit where words are searched", async () => {
    const { find } = await kitWith(ENTRIES, { embedder: null });
    const idsWith = async (query: string, fields: readonly ("text" | "context" | "time")[]) =>
      (await find({ query, fields })).entries.map(({ key }) => key.id);
    expect(await idsWith("marsh", ["text"])).toEqual([]);
    expect(await idsWith("marsh", ["context"])).toEqual([1]);
    expect(await idsWith("marsh", ["text", "context"])).toEqual([1]);
    expect(await idsWith("invoice", ["context", "time"])).toEqual([]);
    expect(await idsWith("invoice", ["text"])).toEqual([4]);
  });
});
