import { describe, expect, it } from "vitest";
import { entrySimilarity, textWords } from "../src/operations/retrieve/similarity.js";
import { kitWith, names } from "./steering-fixture.js";

const FLOOD = Array.from({ length: 20 }, (_, index) => ({
  key: `flood ${index}`,
  content: `the heron caught a fish in the lake, report ${"abcdefghijklmnopqrst"[index]}`,
}));
const OTHERS = [
  { key: "nest", content: "a heron builds its nest of twigs in tall trees near other birds" },
  { key: "flight", content: "slow wing beats tell a heron from afar when it crosses the valley" },
  { key: "storm", content: "after the storm nobody saw any heron until spring came back again" },
];
const query = { query: "heron fish lake", limit: 5 } as const;

function isFlood(name: string): boolean {
  return name.startsWith("flood");
}

describe.each([
  ["by their vectors", undefined],
  ["by their words, without an embedder", null],
])("diversity of similar entries %s (clauses RET-25 and RET-26)", (_name, embedder) => {
  const open = () => kitWith([...FLOOD, ...OTHERS], embedder === undefined ? {} : { embedder });

  it("keeps near-duplicates from filling the page, which they do without it", async () => {
    const { find } = await open();
    const plain = await find(query);
    expect(names(plain.entries).every(isFlood)).toBe(true);
    const steered = await find({ ...query, diversity: 0.7 });
    expect(names(steered.entries).filter((name) => !isFlood(name)).length).toBeGreaterThanOrEqual(2);
    expect(steered.entries.length).toBe(5);
    expect(steered.total).toBe(plain.total);
  });

  it("includes the best entry, lists by score, and is deterministic", async () => {
    const { find } = await open();
    const [best] = (await find(query)).entries;
    for (const diversity of [0.1, 0.5, 1]) {
      const { entries } = await find({ ...query, diversity });
      expect(entries[0]!.key).toEqual(best!.key);
      const scores = entries.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(names((await find({ ...query, diversity })).entries)).toEqual(names(entries));
    }
  });

  it("changes nothing if all results fit on the page", async () => {
    const { find } = await open();
    const [plain, steered] = [
      await find({ ...query, limit: 50 }),
      await find({ ...query, limit: 50, diversity: 1 }),
    ];
    expect(names(steered.entries)).toEqual(names(plain.entries));
  });

  it("chooses from all partitions of a subtree", async () => {
    const { find, store } = await open();
    await store(FLOOD, "a/x");
    await store(OTHERS, "a/y");
    const { entries } = await find({ ...query, diversity: 0.7 }, "a/**");
    expect(new Set(entries.map(({ namespace }) => namespace))).toEqual(new Set(["a/x", "a/y"]));
  });
});

describe("likeness", () => {
  const of = (words: number[], vector?: number[]) => ({
    words: new Set(words),
    vector: vector && Float32Array.from(vector),
  });

  it("is the cosine of vectors, cut at 0, if both have one", () => {
    expect(entrySimilarity(of([1], [1, 0]), of([2], [1, 0]))).toBe(1);
    expect(entrySimilarity(of([1], [1, 0]), of([1], [-1, 0]))).toBe(0);
  });

  it("is the cosine of word sets if one has no vector", () => {
    expect(entrySimilarity(of([1, 2, 3, 4], [1, 0]), of([1]))).toBe(0.5);
    expect(entrySimilarity(of([1, 2]), of([2, 1]))).toBeCloseTo(1, 12);
    expect(entrySimilarity(of([]), of([]))).toBe(0);
  });

  it("uses only the words of the text", () => {
    const inContext = 1 << 8;
    expect(textWords(Uint32Array.of(7, 1, 8, inContext, 9, 3 + inContext))).toEqual(new Set([7, 9]));
  });
});
