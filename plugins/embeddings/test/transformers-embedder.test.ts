import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryErrorOf } from "../../../openai-client/test/provider-fixture.js";
import { createTransformersEmbedder, type TransformersEmbedderOptions } from "../src/index.js";

const runtime = {
  package: new URL("./stand-in-transformers.ts", import.meta.url).href,
  nodeArguments: ["--import", "tsx"],
};

let model: string;
beforeEach(() => {
  model = join(mkdtempSync(join(tmpdir(), "membus-test-")), "tiny");
  mkdirSync(join(model, "onnx"), { recursive: true });
  write("config.json", '{"hidden_size":4}');
  write("tokenizer.json", "{}");
  write("tokenizer_config.json", "{}");
  write("onnx/model.onnx", "weights");
});
afterEach(() => rmSync(join(model, ".."), { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(model, name), text);
}

const create = (options: Partial<TransformersEmbedderOptions> = {}) =>
  createTransformersEmbedder({ model, ...options }, runtime);

/**
 * Returns the properties encoded in the vector of a text: its length, the size of its batch, the maximum
 * tokens.
 */
function properties(vector: Float32Array | null | undefined): number[] {
  return [0, 2, 3].map((i) => Math.round(vector![i]! / vector![1]!));
}

describe("the transformers embedder, with a replacement for its package", () => {
  it("returns vectors of length 1 in the order of the texts, and null for a blank text", async () => {
    const embedder = await create();
    expect(embedder.dimensions).toBe(4);
    const vectors = await embedder.embed(["four", "", "sixsix", " \n"], "document");
    expect(vectors.map((vector) => vector && properties(vector))).toEqual([
      [4, 2, 64],
      null,
      [6, 2, 64],
      null,
    ]);
    for (const vector of [vectors[0], vectors[2]]) expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
    expect(await embedder.embed([], "query")).toEqual([]);
  });

  it("adds the prefix of the kind to each text", async () => {
    const embedder = await create({ queryPrefix: "query: ", documentPrefix: "d: " });
    expect(properties((await embedder.embed(["tea"], "query"))[0])).toEqual([10, 1, 64]);
    expect(properties((await embedder.embed(["tea"], "document"))[0])).toEqual([6, 1, 64]);
  });

  it("batches texts of similar length", async () => {
    const embedder = await create({ batchSize: 2, tokenCountMax: 16 });
    const vectors = await embedder.embed(["x".repeat(90), "a", "bb"], "document");
    expect(vectors.map(properties)).toEqual([
      [90, 1, 16],
      [1, 2, 16],
      [2, 2, 16],
    ]);
  });

  it("with fewer dimensions returns the first components at length 1", async () => {
    const embedder = await create({ dimensions: 2 });
    expect(embedder.dimensions).toBe(2);
    const [vector] = await embedder.embed(["green tea"], "query");
    expect(vector).toHaveLength(2);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
    await expect(create({ dimensions: 5 })).rejects.toThrow(
      "dimensions must be at most the model's 4, got 5",
    );
  });

  it("has another id for every setting that changes vectors", async () => {
    write("onnx/model_quantized.onnx", "weights");
    const variants = [
      {},
      { dtype: "q8" },
      { queryPrefix: "q" },
      { documentPrefix: "q" },
      { tokenCountMax: 9 },
    ];
    const ids = [];
    for (const variant of variants) ids.push((await create(variant as object)).id);
    write("onnx/model.onnx_data", "more weights");
    ids.push((await create()).id);
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^transformers\/tiny\/4\/[0-9a-f]{8}$/);
    rmSync(join(model, "onnx/model.onnx_data"));
    expect((await create({ batchSize: 3 })).id).toBe(ids[0]);
  });

  it("is unavailable if the model fails, and answers the next call", async () => {
    const embedder = await create();
    const failed = await memoryErrorOf(embedder.embed(["fail"], "query"));
    expect([failed.code, failed.message]).toEqual(["unavailable", "the model failed"]);
    expect(String(failed.cause)).toBe("Error: the model does not like this text");
    for (const [text, code] of [
      ["misshapen", "unavailable"],
      ["NaN", "schema_violation"],
    ] as const) {
      expect((await memoryErrorOf(embedder.embed([text], "query"))).code).toBe(code);
    }
    expect(await embedder.embed(["tea"], "query")).toHaveLength(1);
  });

  it("starts another process after one has died", async () => {
    const embedder = await create();
    const calls = [embedder.embed(["crash"], "query"), embedder.embed(["tea"], "query")];
    expect((await memoryErrorOf(calls[0]!)).message).toBe("the model process has ended");
    expect(properties((await calls[1]!)[0])).toEqual([3, 1, 64]);
  });

  it("retries to load a model", async () => {
    write("broken", "");
    const embedder = await create();
    const failed = await memoryErrorOf(embedder.embed(["tea"], "query"));
    expect(String(failed.cause)).toBe("Error: the model is broken");
    rmSync(join(model, "broken"));
    await expect.poll(() => embedder.embed(["tea"], "query").catch(() => [])).toHaveLength(1);
  });

  it("rejects with the signal's reason, and serves later calls", async () => {
    const embedder = await create();
    const reason = new Error("no longer wanted");
    const abort = new AbortController();
    const aborted = embedder.embed(["tea"], "query", { signal: abort.signal });
    abort.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    await expect(embedder.embed(["tea"], "query", { signal: abort.signal })).rejects.toBe(reason);
    expect(await embedder.embed(["tea"], "query")).toHaveLength(1);
  });
});

describe("a missing part is named with a remedy", () => {
  it("if the package is not installed", async () => {
    const absent = { ...runtime, package: "@membus/absent-package" };
    await expect(createTransformersEmbedder({ model }, absent)).rejects.toThrow(
      new TypeError(
        "embedder transformers needs the package @membus/absent-package: npm install @membus/absent-package",
      ),
    );
  });

  it("if the package cannot be loaded", async () => {
    write("broken.mjs", "throw new Error('no such platform')");
    const broken = { ...runtime, package: join(model, "broken.mjs") };
    const error = await memoryErrorOf(createTransformersEmbedder({ model }, broken));
    expect(error.code).toBe("unavailable");
    expect(String(error.cause)).toBe("Error: no such platform");
  });

  it.each(["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"])(
    "if the folder has no %s",
    async (name) => {
      rmSync(join(model, name));
      await expect(create()).rejects.toThrow(TypeError);
      await expect(create()).rejects.toThrow(`cannot read ${join(model, name)}: embedder transformers needs`);
    },
  );

  it.each(["{}", "not JSON", '{"hidden_size":0}', '{"hidden_size":5000}'])(
    "if the configuration is %s",
    async (config) => {
      write("config.json", config);
      await expect(create()).rejects.toThrow("does not contain the number of vector components");
    },
  );

  it.each([
    ["model", ""],
    ["dtype", "fp8"],
    ["pooling", "max"],
    ["dimensions", 4_097],
    ["batchSize", 0],
    ["tokenCountMax", 7],
    ["queryPrefix", 1],
  ])("when %s is %j", async (name, value) => {
    await expect(create({ [name]: value })).rejects.toThrow(new RegExp(`^${name} must be`));
  });
});

it("the package is an optional peer dependency, so it is not installed by default", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(manifest.peerDependencies).toEqual({ "@huggingface/transformers": ">=3.0.2 <5" });
  expect(manifest.peerDependenciesMeta).toEqual({ "@huggingface/transformers": { optional: true } });
  expect(Object.keys(manifest.dependencies)).toEqual([
    "@membus/openai-client",
    "@membus/protocol",
    "p-limit",
    "zod",
  ]);
});
