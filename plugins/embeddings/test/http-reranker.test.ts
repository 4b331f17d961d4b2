import { inspect } from "node:util";
import { systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { memoryErrorOf, startProvider } from "../../../openai-client/test/provider-fixture.js";
import type { Answer, Reply } from "../../../openai-client/test/provider-server.js";
import { createHttpReranker, type HttpRerankerOptions } from "../src/index.js";

const result = <Score>(index: number, relevance_score: Score) => ({ index, relevance_score });
const scored =
  (...results: object[]): Answer =>
  () => ({ body: { results } });

/** Scores a document by its length and lists the best first, as servers do. */
const byLength: Answer = ({ body }) => ({
  body: {
    results: body.documents
      .map((text, index) => result(index, text.length / 100))
      .sort((a, b) => b.relevance_score - a.relevance_score),
  },
});

async function start(answer: Answer, options: Partial<HttpRerankerOptions> = {}) {
  const { server, logger } = await startProvider(answer);
  const given = { baseUrl: server.baseUrl, model: "m", ...options };
  return { server, logger, reranker: createHttpReranker(given, { clock: systemClock, logger }) };
}

async function failureOf(reply: Reply, options: Partial<HttpRerankerOptions> = {}, texts = ["a"]) {
  const { reranker, server } = await start(() => reply, options);
  const error = await memoryErrorOf(reranker.rerank("q", texts));
  expect(server.requests.length).toBe(1);
  return error;
}

describe("the reranker", () => {
  it("sends query and texts, and returns the scores in the order of the texts", async () => {
    const { reranker, server } = await start(byLength, { apiKey: "sk-1", model: "bge" });
    expect(await reranker.rerank("tea", ["four", "sixsix", "x"])).toEqual([0.04, 0.06, 0.01]);
    expect(server.requests.length).toBe(1);
    expect(server.requests[0]!.path).toBe("/v1/rerank");
    expect(server.requests[0]!.headers.authorization).toBe("Bearer sk-1");
    expect(server.requests[0]!.body).toEqual({
      model: "bge",
      query: "tea",
      documents: ["four", "sixsix", "x"],
      top_n: 3,
    });
    expect(reranker.id).toBe("rerank/bge");
  });

  it("sends no authorization without a key, and nothing if there is nothing to score", async () => {
    const { reranker, server } = await start(byLength);
    expect(await reranker.rerank("tea", [])).toEqual([]);
    expect(await reranker.rerank("tea", ["", " \n"])).toEqual([0, 0]);
    expect(server.requests).toEqual([]);
    expect(await reranker.rerank("tea", ["", "four", " "])).toEqual([0, 0.04, 0]);
    expect(server.requests[0]!.body.documents).toEqual(["four"]);
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
  });

  it("applies the logistic function to logits only if configured", async () => {
    const logits = scored(result(0, 0), result(1, -1.0986122886681098), result(2, 1e4));
    const { reranker } = await start(logits, { scores: "logits" });
    const [even, quarter, sure] = await reranker.rerank("q", ["a", "b", "c"]);
    expect([even, sure]).toEqual([0.5, 1]);
    expect(quarter).toBeCloseTo(0.25, 12);
    const error = await failureOf({ body: { results: [result(0, 1.5)] } });
    expect(error.code).toBe("unavailable");
    expect(error.message).toContain("Set `scores: logits`");
  });

  it("cuts long texts at a whole character", async () => {
    const { reranker, server } = await start(byLength, { textBytesMax: 16 });
    await reranker.rerank("q".repeat(20), ["é".repeat(20), `123456789012345🌍`, "x".repeat(16)]);
    expect(server.requests[0]!.body).toMatchObject({
      query: "q".repeat(16),
      documents: ["é".repeat(8), "123456789012345", "x".repeat(16)],
    });
  });

  it("refuses more texts or bytes than the limit without sending anything", async () => {
    const { reranker, server } = await start(byLength, { textCountMax: 2, requestBytesMax: 1_024 });
    const many = await memoryErrorOf(reranker.rerank("q", ["a", "b", "c"]));
    expect(many).toMatchObject({ code: "too_large", detail: { limit: "texts", max: 2, got: 3 } });
    const large = await memoryErrorOf(reranker.rerank("q", ["x".repeat(2_000)]));
    expect(large).toMatchObject({ code: "too_large", detail: { limit: "request", max: 1_024, got: 2_001 } });
    expect(server.requests).toEqual([]);
  });

  it("never exceeds the number of concurrent requests", async () => {
    let open = 0;
    let most = 0;
    const { reranker, server } = await start(
      async (request, attempt) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open -= 1;
        return byLength(request, attempt);
      },
      { concurrencyMax: 2, timeoutMs: 30_000 },
    );
    await Promise.all(Array.from({ length: 12 }, () => reranker.rerank("q", ["a"])));
    expect([server.requests.length, most]).toEqual([12, 2]);
  });
});

describe("is unavailable if the server", () => {
  it.each([307, 400, 401, 413, 503])("answers %i", async (status) => {
    const error = await failureOf({ status, body: { error: {} } });
    expect([error.code, error.detail]).toEqual(["unavailable", { status }]);
  });

  it("answers 429 with Retry-After, and returns the wait after one attempt", async () => {
    const error = await failureOf({ status: 429, headers: { "retry-after": "30" } });
    expect([error.code, error.detail]).toEqual(["unavailable", { status: 429, retry_after_ms: 30_000 }]);
  });

  it.each<[string, unknown]>([
    ["no list", {}],
    ["too few results", { results: [] }],
    ["too many results", { results: [result(0, 0.1), result(1, 0.2)] }],
    ["an index out of range", { results: [result(1, 0.1)] }],
    ["no index", { results: [{ relevance_score: 0.1 }] }],
    ["no score", { results: [{ index: 0 }] }],
    ["a score that is text", { results: [result(0, "0.5")] }],
    ["NaN", '{"results":[{"index":0,"relevance_score":NaN}]}'],
    ["an infinite score", '{"results":[{"index":0,"relevance_score":1e999}]}'],
    ["a negative score", { results: [result(0, -0.1)] }],
    ["not JSON", "<html>"],
    ["nothing", ""],
    ["the same index twice", { results: [result(0, 0.1), result(0, 0.2)] }],
  ])("replies with %s", async (_what, body) => {
    const texts = _what === "the same index twice" ? ["a", "b"] : ["a"];
    expect((await failureOf({ body }, {}, texts)).code).toBe("unavailable");
  });

  it.each(["before-headers", "after-headers"] as const)("hangs %s", async (hang) => {
    const error = await failureOf({ hang }, { timeoutMs: 200 });
    expect(error.code).toBe("unavailable");
    expect(error.message).toBe("the reranker did not answer within 200 ms");
    expect(error.detail).toEqual({ timeout_ms: 200 });
  });

  it("loses the connection, or sends more than the limit", async () => {
    expect((await failureOf({ hang: "lost" })).code).toBe("unavailable");
    const body = { results: [result(0, 0.5)], padding: "x".repeat(2_000) };
    const error = await failureOf({ body }, { responseBytesMax: 1_024 });
    expect(error.code).toBe("unavailable");
    expect(error.message).toContain("longer than 1024 bytes. Raise responseBytesMax");
  });
});

describe("an aborted call", () => {
  const reason = new Error("no longer wanted");

  it("rejects with the signal's reason, while waiting for an answer or in the queue", async () => {
    const { reranker, server } = await start(() => ({ hang: "before-headers" }), {
      concurrencyMax: 1,
      timeoutMs: 60_000,
    });
    const first = new AbortController();
    const second = new AbortController();
    const calls = [first, second].map(({ signal }) => reranker.rerank("q", ["a"], { signal }));
    second.abort(reason);
    await expect(calls[1]).rejects.toBe(reason);
    first.abort(reason);
    await expect(calls[0]).rejects.toBe(reason);
    expect(server.requests.length).toBeLessThan(2);
  });

  it("sends nothing if the signal is already aborted", async () => {
    const { reranker, server } = await start(byLength);
    const signal = AbortSignal.abort(reason);
    await expect(reranker.rerank("q", ["a"], { signal })).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

it.each([200, 401, 500])(
  "keeps key and texts out of errors and the log, although a %i repeats them",
  async (status) => {
    const apiKey = "sk-very-secret-0123456789";
    const { reranker, logger } = await start(
      ({ headers, body }) => ({ status, body: `${headers.authorization} ${body.documents[0]}` }),
      { apiKey },
    );
    const error = await memoryErrorOf(reranker.rerank("where is Tom", ["the cat is called Tom"]));
    const shown = inspect([error, reranker], { depth: 20, showHidden: true });
    expect(shown).not.toMatch(/very-secret|Tom/);
    expect(logger.lines.length).toBe(1);
    expect(logger.lines[0]).not.toMatch(/very-secret|Tom/);
  },
);

describe("createHttpReranker", () => {
  const given = { baseUrl: "http://127.0.0.1:8080/v1", model: "m" };
  const creating = (options: object) => () =>
    createHttpReranker({ ...given, ...options }, { clock: systemClock });

  it.each([
    ["baseUrl", undefined],
    ["baseUrl", "http://h/v1?key=sk"],
    ["model", ""],
    ["apiKey", "sk 1"],
    ["scores", "percent"],
    ["textCountMax", 0],
    ["textCountMax", 1_001],
    ["textBytesMax", 15],
    ["requestBytesMax", 1_023],
    ["concurrencyMax", 65],
    ["timeoutMs", 0],
    ["responseBytesMax", 1_023],
  ])("refuses %s of %j", (name, value) => {
    expect(creating({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });

  it("suggests the nearest option for an unknown one", () => {
    expect(creating({ score: "unit" })).toThrow(
      new TypeError("unknown option `score` (did you mean `scores`?)"),
    );
  });
});
