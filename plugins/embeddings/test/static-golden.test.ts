import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createStaticEmbedder } from "../src/index.js";
import { loadTokenTable, TABLE_DIMENSIONS, TABLE_ID, type TokenTable } from "../src/static/token-table.js";
import { tokenIds } from "../src/static/vocabulary.js";

interface Golden {
  readonly cosine_0_1: number;
  readonly cosine_0_1_first_128: number;
  readonly cases: readonly { text: string; ids: number[]; vector: number[]; norm: number }[];
}

const read = (name: string) => readFileSync(new URL(`../static-minilm-v1/${name}`, import.meta.url));
const golden = JSON.parse(read("golden.json").toString()) as Golden;
const manifest = JSON.parse(read("manifest.json").toString());

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * b[i]!, 0);
}

describe("the token table", () => {
  it.each(["vectors.int8", "scales.f32", "vocab.txt"])("has the %s of its manifest", (name) => {
    expect(createHash("sha256").update(read(name)).digest("hex")).toBe(manifest.sha256[name]);
  });

  it("is the one that the code expects", () => {
    expect([TABLE_ID, TABLE_DIMENSIONS]).toEqual([manifest.id, manifest.dimensions]);
  });

  it("contains its licence and notice", () => {
    expect(read("LICENSE.Apache-2.0.txt").toString()).toContain("Apache License");
    expect(read("NOTICE.txt").toString()).toContain("all-MiniLM-L6-v2");
  });
});

describe("golden texts", () => {
  let table: TokenTable;
  beforeAll(async () => {
    table = await loadTokenTable();
  });

  it("exist", () => {
    expect(golden.cases.length).toBe(10);
    expect(table.vocabulary.size).toBe(30_522);
  });

  it.each(golden.cases)("$text has the token ids of the model", ({ text, ids }) => {
    expect(tokenIds(text, table.vocabulary)).toEqual(ids);
  });

  const latin = golden.cases.filter(({ text }) => !/[^\P{L}\p{Script=Latin}]/u.test(text));

  it.each(latin)("$text has the vector of the model", async ({ text, vector, norm }) => {
    const [embedded] = await createStaticEmbedder({ dimensions: 256 }).embed([text], "document");
    if (norm === 0) return expect(embedded).toBeNull();
    for (const [i, component] of vector.entries())
      expect(Math.abs(embedded![i]! - component)).toBeLessThan(1e-4);
    expect(cosine(embedded!, embedded!)).toBeCloseTo(1, 5);
  });

  it.each([
    [256, golden.cosine_0_1],
    [128, golden.cosine_0_1_first_128],
  ])("have the cosine of the model in %i components", async (dimensions, expected) => {
    const texts = golden.cases.slice(0, 2).map(({ text }) => text);
    const [a, b] = await createStaticEmbedder({ dimensions }).embed(texts, "document");
    expect(Math.abs(cosine(a!, b!) - expected)).toBeLessThan(1e-4);
  });
});
