import { afterEach, describe, expect, it } from "vitest";
import { startOpenAi } from "./openai-fixture.js";
import { memoryErrorOf } from "./provider-fixture.js";
import { echo, ProviderServer, type Reply, replyBody } from "./provider-server.js";

const unit = [1, 0, 0];

async function failureOf(reply: Reply, texts: string[] = ["a"], timeoutMs = 30_000) {
  const { embedder, server } = await startOpenAi(() => reply, { maxRetries: 0, timeoutMs });
  const error = await memoryErrorOf(embedder.embed(texts, "document"));
  expect(server.requests.length).toBe(1);
  return error;
}

describe("a status", () => {
  it.each([
    [401, "unauthorized"],
    [403, "unauthorized"],
    [413, "too_large"],
    [400, "schema_violation"],
    [404, "runtime_error"],
    [422, "schema_violation"],
    [307, "runtime_error"],
    [408, "unavailable"],
    [409, "unavailable"],
    [429, "unavailable"],
    [500, "unavailable"],
    [503, "unavailable"],
  ])("of %i is %s", async (status, code) => {
    const error = await failureOf({
      status,
      headers: { location: "http://127.0.0.1:1/" },
      body: { error: {} },
    });
    expect(error.code).toBe(code);
    expect(error.detail).toEqual({ status });
    expect((error.cause as { status: number }).status).toBe(status);
  });
});

describe("a reply", () => {
  it.each<[string, unknown, object]>([
    ["with vectors of another dimension", replyBody([[1, 0]]), { expected: 3, got: 2 }],
    ["with a missing item", replyBody([]), { expected: 1, got: 0 }],
    ["with one item too many", replyBody([unit, unit]), { expected: 1, got: 2 }],
    ["with null for a vector", replyBody([null]), {}],
    ["with null for a component", replyBody([[1, null, 0]]), {}],
    ["with a component beyond float32", replyBody([[1e39, 0, 0]]), {}],
    ["with vectors in base64", replyBody(["AACAPwAAAAAAAAAA"]), {}],
    ["with NaN", '{"data":[{"index":0,"embedding":[NaN,0,1]}]}', {}],
    ["without data", { object: "list" }, {}],
    ["that is not JSON", "<html>", {}],
    ["that ends early", '{"data":[{"index":0,"embedding":[1,0', {}],
    ["with an infinite component", '{"data":[{"index":0,"embedding":[1e999,0,1]}]}', {}],
    ["with more components", replyBody([[1, 0, 0, 0]]), { expected: 3, got: 4 }],
    ["that is empty", "", {}],
    ["without an index", { data: [{ embedding: unit }] }, {}],
    ["with an index out of range", { data: [{ index: 1, embedding: unit }] }, {}],
    ["with a fractional index", { data: [{ index: 0.5, embedding: unit }] }, {}],
  ])("%s is a runtime_error", async (_name, body, detail) => {
    const error = await failureOf({ body });
    expect(error.code).toBe("runtime_error");
    expect(error.detail).toEqual(detail);
  });

  it("that repeats an index is a runtime_error", async () => {
    const item = { index: 0, embedding: unit };
    expect((await failureOf({ body: { data: [item, item] } }, ["a", "b"])).code).toBe("runtime_error");
  });

  it("over the size limit is refused", async () => {
    const body = { ...replyBody([unit]), padding: "x".repeat(2_000) };
    const { embedder } = await startOpenAi(() => ({ body }), { maxRetries: 0, responseBytesMax: 1_024 });
    const error = await memoryErrorOf(embedder.embed(["a"], "document"));
    expect(error.code).toBe("unavailable");
    expect(String((error.cause as Error).cause)).toBe(
      "RangeError: the reply is longer than 1024 bytes. Raise responseBytesMax",
    );
  });
});

describe("a redirect", () => {
  it("is not followed: neither texts nor key are sent elsewhere", async () => {
    const { server: elsewhere } = await startOpenAi(echo);
    const { embedder } = await startOpenAi(
      () => ({ status: 308, headers: { location: `${elsewhere.baseURL}/embeddings` } }),
      { apiKey: "sk-1", maxRetries: 0 },
    );
    const error = await memoryErrorOf(embedder.embed(["a"], "document"));
    expect(error).toMatchObject({ code: "runtime_error", detail: { status: 308 } });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a provider that does not answer", () => {
  let closed: ProviderServer | undefined;
  afterEach(() => closed?.close());

  it.each(["before-headers", "after-headers"] as const)("and hangs %s is unavailable", async (hang) => {
    const error = await failureOf({ hang }, ["a"], 200);
    expect(error.code).toBe("unavailable");
    expect(error.message).toBe("the embedding provider did not answer in time");
  });

  it("and loses the connection in the middle of a reply is unavailable", async () => {
    expect((await failureOf({ hang: "lost" })).code).toBe("unavailable");
  });

  it("because it is not running is unavailable, with the cause, and the next call tries again", async () => {
    closed = await ProviderServer.start(echo);
    const { baseURL } = closed;
    await closed.close();
    const { embedder } = await startOpenAi(echo, { baseURL, maxRetries: 0 });
    for (const _call of [1, 2]) {
      const error = await memoryErrorOf(embedder.embed(["a"], "document"));
      expect(error.code).toBe("unavailable");
      expect(error.cause).toBeInstanceOf(Error);
    }
  });
});
