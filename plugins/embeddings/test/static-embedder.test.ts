import { describe, expect, it } from "vitest";
import { createStaticEmbedder } from "../src/index.js";

const embedder = createStaticEmbedder();
const embed = async (...texts: string[]) => embedder.embed(texts, "document");

describe("the static embedder", () => {
  it("names table and dimensions in its id", () => {
    expect([embedder.id, embedder.dimensions]).toEqual(["static-minilm-v1/128", 128]);
    expect(createStaticEmbedder({ dimensions: 64 }).id).toBe("static-minilm-v1/64");
  });

  it("serves all callers while the table is loading", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => createStaticEmbedder().embed(["tea", "coffee"], "query")),
    );
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]![0]).toHaveLength(128);
  });

  it("embeds documents and queries alike, in order, each into its own vector", async () => {
    const [tea, none, coffee, teaAgain] = await embed("tea", "", "coffee", "tea");
    expect(none).toBeNull();
    expect(teaAgain).toEqual(tea);
    expect(teaAgain).not.toBe(tea);
    expect(coffee).not.toEqual(tea);
    expect(await embedder.embed(["tea"], "query")).toEqual([tea]);
  });

  it("returns null for a text without a known token", async () => {
    expect(await embed("", " \n\t", "❤️😀", "x".repeat(101), "[MASK] [SEP]", "\u0000\u200b")).toEqual(
      Array(6).fill(null),
    );
  });

  it("ignores case, accents, control characters and unknown tokens", async () => {
    const [plain, ...others] = await embed(
      "cafe tea",
      "CAFÉ Tea",
      "cafe\u0301 tea",
      "ca\u200bfe\u0007 tea 😀",
    );
    for (const other of others) expect(other).toEqual(plain);
  });

  it("ranks related texts above unrelated ones", async () => {
    const [query, right, wrong] = await embed(
      "solar system",
      "Earth orbits the Sun",
      "The invoice is due on Friday",
    );
    const dot = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, component, i) => sum + component * b[i]!, 0);
    expect(dot(query!, right!)).toBeGreaterThan(0.5);
    expect(dot(query!, wrong!)).toBeLessThan(0.2);
  });

  it("with fewer dimensions returns the first components at length 1", async () => {
    const [whole] = await createStaticEmbedder({ dimensions: 256 }).embed(["hot green tea"], "document");
    for (const dimensions of [1, 7, 128]) {
      const [part] = await createStaticEmbedder({ dimensions }).embed(["hot green tea"], "document");
      const length = Math.hypot(...whole!.subarray(0, dimensions));
      expect(part).toHaveLength(dimensions);
      for (let i = 0; i < dimensions; i++) expect(part![i]).toBeCloseTo(whole![i]! / length, 5);
    }
  });
});

describe("a call with much text", () => {
  const texts = Array.from({ length: 20 }, () => "word ".repeat(10_000));

  it("lets other work run in between", async () => {
    await embed("load");
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await embed(...texts);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(5);
  });

  it("ends when it is aborted", async () => {
    const abort = new AbortController();
    const reason = new Error("no longer wanted");
    setImmediate(() => abort.abort(reason));
    await expect(embedder.embed(texts, "document", { signal: abort.signal })).rejects.toBe(reason);
  });
});

describe("createStaticEmbedder", () => {
  it("has 128 dimensions by default", () => {
    expect(createStaticEmbedder().dimensions).toBe(128);
    expect(createStaticEmbedder({ dimensions: 256 }).dimensions).toBe(256);
  });

  it.each([0, 257, 1.5, Number.NaN, "128"])("refuses %j dimensions", (dimensions) => {
    expect(() => createStaticEmbedder({ dimensions } as object)).toThrow(
      /^dimensions must be an integer of 1..256/,
    );
  });

  it("suggests the nearest option for an unknown one", () => {
    const options = { dimension: 64 } as object;
    expect(() => createStaticEmbedder(options)).toThrow(
      new TypeError("unknown option `dimension` (did you mean `dimensions`?)"),
    );
  });
});

it.each([
  "用户喜欢喝绿茶",
  "ユーザーは緑茶が好きです",
  "المستخدم يحب الشاي الأخضر",
  "Пользователь любит зелёный чай",
])("gives a text in another script no vector: %s", async (text) => {
  expect(await createStaticEmbedder().embed([text], "document")).toEqual([null]);
});

it("ignores words in other scripts within an English text", async () => {
  const [mixed, english] = await createStaticEmbedder().embed(["green tea 绿茶", "green tea"], "document");
  expect(mixed).toEqual(english);
});

it("gives a text that is recognised as another language no vector", async () => {
  const embedder = createStaticEmbedder({}, { isOtherLanguage: (text) => text.includes("der") });
  const [german, english] = await embedder.embed(["der Tee", "the tea"], "query");
  expect([german, english !== null]).toEqual([null, true]);
});
