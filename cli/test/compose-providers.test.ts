import { type Clock, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { composeEmbedder } from "../src/compose/compose-embedder.js";
import { composeReranker } from "../src/compose/compose-reranker.js";
import { CONFIG_DEFAULTS, type Config } from "../src/config/config-schema.js";
import { checkEmbedder } from "../src/doctor/check-embedder.js";
import { checkReranker } from "../src/doctor/check-reranker.js";
import { createLogger } from "../src/logger.js";
import { startProvider } from "./provider-server.js";

type EmbedderSettings = Config["embedder"];
type RerankerSettings = NonNullable<Config["reranker"]>;

const dependencies = { clock: systemClock, logger: createLogger("silent") };
const withEmbedder = (embedder: EmbedderSettings): Config => ({ ...CONFIG_DEFAULTS, embedder });
const withReranker = (reranker: RerankerSettings): Config => ({ ...CONFIG_DEFAULTS, reranker });
const embedderOf = (settings: EmbedderSettings, env = {}) =>
  composeEmbedder(withEmbedder(settings), env, dependencies);

const vectorsOf = (count: number, vector: number[]) => ({
  data: Array.from({ length: count }, (_, index) => ({ index, embedding: vector })),
});
const GONE = "http://127.0.0.1:1/v1";

describe("the configured embedder", () => {
  it("loads its table in the background", async () => {
    const timers: unknown[] = [];
    const after: Clock["after"] = (delayMs, _run, options) => {
      timers.push([delayMs, options]);
      return () => {};
    };
    await composeEmbedder(CONFIG_DEFAULTS, {}, { ...dependencies, clock: { ...systemClock, after } });
    expect(timers).toEqual([[1_000, { background: true }]]);
  });

  it("is the static one with the configured dimensions, or none", async () => {
    expect((await composeEmbedder(CONFIG_DEFAULTS, {}, dependencies))?.id).toBe("static-minilm-v1/128");
    expect((await embedderOf({ provider: "static", dimensions: 256 }))?.id).toBe("static-minilm-v1/256");
    expect(await embedderOf({ provider: "none" })).toBeUndefined();
  });

  it("adds prefixes to queries and documents, and includes them in its id", async () => {
    const { baseUrl, requests } = await startProvider(({ input }) => ({
      body: vectorsOf(input.length, [1, 0]),
    }));
    const settings = { provider: "openai", base_url: baseUrl, model: "e5", dimensions: 2 } as const;
    const plain = await embedderOf(settings);
    const prefixed = await embedderOf(
      { ...settings, query_prefix: "query: ", document_prefix: "passage: ", api_key_env: "KEY" },
      { KEY: "sk-1", OPENAI_API_KEY: "sk-2" },
    );
    await prefixed!.embed(["tea"], "query");
    await prefixed!.embed(["tea"], "document");
    await plain!.embed(["tea"], "query");
    expect(requests.map(({ input }) => input)).toEqual([["query: tea"], ["passage: tea"], ["tea"]]);
    expect(requests.map(({ authorization }) => authorization)).toEqual([
      "Bearer sk-1",
      "Bearer sk-1",
      undefined,
    ]);
    expect(plain!.id).toBe("openai/e5/2");
    expect(prefixed!.id).toMatch(/^openai\/e5\/2\/[0-9a-f]{8}$/);
  });

  it.each<[string, EmbedderSettings]>([
    ["embedder openai `base_url` must be an http(s) URL", { provider: "openai", model: "m", dimensions: 2 }],
    ["embedder openai `model` must be", { provider: "openai", base_url: GONE, dimensions: 2 }],
    ["embedder openai `dimensions` must be", { provider: "openai", base_url: GONE, model: "m" }],
    [
      "embedder openai does not support `pooling`. Supported settings: base_url,",
      { provider: "openai", pooling: "cls" },
    ],
    ["embedder static `dimensions` must be an integer of 1..256", { provider: "static", dimensions: 300 }],
    [
      "embedder static does not support `query_prefix`. Supported settings: dimensions",
      { provider: "static", query_prefix: "q" },
    ],
    ["embedder none does not support `model`", { provider: "none", model: "m" }],
    ["embedder transformers `model` must be", { provider: "transformers" }],
    ["cannot read /absent/config.json: embedder", { provider: "transformers", model: "/absent" }],
    [
      "embedder openai `api_key_env`: the environment variable NO_SUCH_KEY is not set",
      { provider: "openai", base_url: GONE, model: "m", dimensions: 2, api_key_env: "NO_SUCH_KEY" },
    ],
  ])("is rejected: %s", async (message, settings) => {
    const refused = embedderOf(settings);
    await expect(refused).rejects.toBeInstanceOf(TypeError);
    await expect(refused).rejects.toThrow(message);
  });
});

describe("the configured reranker", () => {
  it("is absent by default", async () => {
    expect(await composeReranker(CONFIG_DEFAULTS, {}, dependencies)).toBeUndefined();
  });

  it("sends requests to the configured URL, with the key of the configured variable only", async () => {
    const { baseUrl, requests } = await startProvider(() => ({
      body: { results: [{ index: 0, relevance_score: 0 }] },
    }));
    const env = { KEY: "sk-1", OPENAI_API_KEY: "sk-2" };
    for (const extra of [{}, { api_key_env: "KEY", scores: "logits" as const }]) {
      const config = withReranker({ base_url: baseUrl, model: "m", ...extra });
      const reranker = await composeReranker(config, env, dependencies);
      expect(await reranker!.rerank("q", ["a"])).toEqual(["scores" in extra ? 0.5 : 0]);
    }
    expect(requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      ["/v1/rerank", undefined],
      ["/v1/rerank", "Bearer sk-1"],
    ]);
  });

  it.each<[string, Partial<RerankerSettings>]>([
    ["reranker `base_url` must be an http(s) URL", { base_url: "nowhere" }],
    ["reranker `text_count_max` must be an integer of 1..1000", { text_count_max: 2_000 }],
    [
      "reranker `api_key_env`: the environment variable NO_SUCH_KEY is not set",
      { api_key_env: "NO_SUCH_KEY" },
    ],
  ])("is rejected: %s", async (message, settings) => {
    const config = withReranker({ base_url: GONE, model: "m", ...settings });
    await expect(composeReranker(config, {}, dependencies)).rejects.toThrow(message);
  });
});

describe("doctor", () => {
  const openai = { provider: "openai", model: "m", dimensions: 2, max_retries: 0 } as const;

  it("reports a working embedder and reranker", async () => {
    const { baseUrl } = await startProvider(({ input, documents }) => ({
      body: input
        ? vectorsOf(input.length, [1, 0])
        : {
            results: documents.map((text, index) => ({
              index,
              relevance_score: text.includes("sun") ? 0.9 : 0.1,
            })),
          },
    }));
    expect(await checkEmbedder(withEmbedder({ ...openai, base_url: baseUrl }), {})).toEqual([
      { check: "embedder", state: "ok", found: "openai/m/2" },
    ]);
    expect(await checkReranker(withReranker({ base_url: baseUrl, model: "m" }), {})).toEqual([
      { check: "reranker", state: "ok", found: "rerank/m" },
    ]);
    expect(await checkReranker(CONFIG_DEFAULTS, {})).toEqual([]);
  });

  it.each([
    [
      200,
      vectorsOf(1, [1, 0, 0]),
      /wrong number of components/,
      /set `embedder.dimensions` to 3, the dimensions of the model/,
    ],
    [401, {}, /answered 401/, /set the environment variable OPENAI_API_KEY to a valid key/],
    [404, {}, /answered 404/, /check `embedder.base_url`/],
    [503, {}, /answered 503/, /start the provider or try again later/],
  ])("suggests a fix when the embedder responds with %i", async (status, body, found, advice) => {
    const { baseUrl } = await startProvider(() => ({ status, body }));
    const [finding] = await checkEmbedder(withEmbedder({ ...openai, base_url: baseUrl }), {});
    expect(finding).toMatchObject({ check: "embedder", state: "problem" });
    expect(finding!.found).toMatch(found);
    expect(finding!.advice).toMatch(advice);
  });

  it.each([
    [403, {}, /answered 403/, /set `reranker.api_key_env` to its name/],
    [404, {}, /answered 404/, /`reranker.base_url`: \/rerank is appended to it/],
    [500, {}, /answered 500/, /results are not reranked/],
    [
      200,
      { results: [3, -3].map((relevance_score, index) => ({ index, relevance_score })) },
      /outside 0..1/,
      /set `reranker.scores` to logits/,
    ],
  ])("suggests a fix when the reranker responds with %i", async (status, body, found, advice) => {
    const { baseUrl } = await startProvider(() => ({ status, body }));
    const [finding] = await checkReranker(withReranker({ base_url: baseUrl, model: "m" }), {});
    expect(finding).toMatchObject({ check: "reranker", state: "problem" });
    expect(finding!.found).toMatch(found);
    expect(finding!.advice).toMatch(advice);
  });

  it("warns about a reranker that does not prefer the relevant text", async () => {
    const { baseUrl } = await startProvider(({ documents }) => ({
      body: { results: documents.map((_, index) => ({ index, relevance_score: 0.5 })) },
    }));
    const [finding] = await checkReranker(withReranker({ base_url: baseUrl, model: "m" }), {});
    expect(finding).toMatchObject({
      state: "warning",
      found: "rerank/m scores a relevant text 0.50 and an unrelated text 0.50",
    });
  });

  it("names the address of an unreachable provider, and an invalid setting", async () => {
    const [embedder] = await checkEmbedder(withEmbedder({ ...openai, base_url: GONE }), {});
    expect(embedder!.found).toMatch(/^cannot connect to the embedding provider: .+/);
    const [reranker] = await checkReranker(withReranker({ base_url: GONE, model: "m" }), {});
    expect(reranker!.found).toMatch(/^cannot connect to the reranker: .+/);
    expect(await checkReranker(withReranker({ base_url: "x", model: "m" }), {})).toEqual([
      {
        check: "reranker",
        state: "problem",
        found: "reranker `base_url` must be an http(s) URL without credentials, query or fragment",
      },
    ]);
  });
});
