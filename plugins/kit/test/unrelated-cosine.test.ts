import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { ScriptedEmbedder, vectorOf } from "./scripted-embedder.js";
import { kitWith } from "./steering-fixture.js";

const ENTRIES = [
  { key: "heron", content: "a heron in flight" },
  { key: "bill", content: "an invoice" },
];
const OWN_VECTOR = vectorOf("a heron in flight", 8)!;

function measuring(unrelatedCosine: () => Promise<number>) {
  return kitWith(ENTRIES, { embedder: Object.assign(new ScriptedEmbedder(), { unrelatedCosine }) });
}

const away = () => Promise.reject(new MemoryError("unavailable", "the provider is away"));

describe("an embedder that reports its unrelated cosine", () => {
  it("is queried when the plugin opens, before any query", async () => {
    let askedCount = 0;
    await measuring(async () => ++askedCount / 10);
    expect(askedCount).toBe(1);
  });

  it("affects a vector from the caller too", async () => {
    const [plain, measured] = [await measuring(async () => 0.1), await measuring(async () => 0.7)];
    const request = { embedding: OWN_VECTOR } as const;
    expect((await plain.find(request)).entries.length).toBe(2);
    expect((await measured.find(request)).entries.map(({ key }) => key.name)).toEqual(["heron"]);
  });

  it("leaves a query its words if it fails to report", async () => {
    const { find } = await measuring(away);
    const { entries, degraded } = await find({ query: "heron" });
    expect(entries.map(({ key }) => key.name)).toEqual(["heron"]);
    expect(degraded?.code).toBe("unavailable");
  });

  it("fails a query with only a vector if it fails to report", async () => {
    const { find } = await measuring(away);
    const unavailable = { code: "unavailable" };
    await expect(find({ query: "heron", mode: "vector" })).rejects.toMatchObject(unavailable);
    await expect(find({ embedding: OWN_VECTOR })).rejects.toMatchObject(unavailable);
    expect((await find({ query: "heron", embedding: OWN_VECTOR })).entries.length).toBe(1);
  });
});
