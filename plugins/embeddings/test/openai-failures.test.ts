import { describe, expect, it } from "vitest";
import { memoryErrorOf } from "../../../openai-client/test/provider-fixture.js";
import { type Reply, replyBody } from "../../../openai-client/test/provider-server.js";
import { startOpenAi } from "./openai-fixture.js";

const unit = [1, 0, 0];

async function failureOf(reply: Reply, texts: string[] = ["a"], timeoutMs = 30_000) {
  const { embedder, server } = await startOpenAi(() => reply, { retryCountMax: 0, timeoutMs });
  const error = await memoryErrorOf(embedder.embed(texts, "document"));
  expect(server.requests.length).toBe(1);
  return error;
}

describe("a status", () => {
  it.each([
    [401, "unauthorized"],
    [413, "too_large"],
    [400, "schema_violation"],
    [422, "schema_violation"],
    [404, "runtime_error"],
    [408, "unavailable"],
    [503, "unavailable"],
  ])("of %i is %s", async (status, code) => {
    const error = await failureOf({ status, body: { error: { message: "no tea" } } });
    expect(error.code).toBe(code);
    expect(error.message).toBe(`the embedding provider answered ${status}`);
    expect(error.detail).toEqual({ status });
    expect(String(error.cause)).toContain(`${status} no tea`);
  });

  it("of 429 is unavailable, with the pause that the provider requires", async () => {
    const error = await failureOf({ status: 429, headers: { "retry-after": "30" } });
    expect([error.code, error.detail]).toEqual(["unavailable", { status: 429, retry_after_ms: 30_000 }]);
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
    const { embedder } = await startOpenAi(() => ({ body }), { retryCountMax: 0, responseBytesMax: 1_024 });
    const error = await memoryErrorOf(embedder.embed(["a"], "document"));
    expect(error.code).toBe("unavailable");
    expect(error.message).toContain("longer than 1024 bytes. Raise responseBytesMax");
  });
});

describe("a provider that does not answer", () => {
  it("in time is unavailable", async () => {
    const error = await failureOf({ hang: "after-headers" }, ["a"], 200);
    expect(error.code).toBe("unavailable");
    expect(error.message).toBe("the embedding provider did not answer within 200 ms");
  });

  it("completely is unavailable, with the cause", async () => {
    const error = await failureOf({ hang: "lost" });
    expect(error.code).toBe("unavailable");
    expect(error.cause).toBeInstanceOf(Error);
  });
});
