import { describe, expect, it } from "vitest";
import { startOpenAi } from "./openai-fixture.js";
import { memoryErrorOf } from "./provider-fixture.js";
import { echo, type Reply } from "./provider-server.js";

const noon = Date.parse("2030-01-01T12:00:00Z") / 1000;
const clockAtNoon = { now: () => noon, after: () => () => {} };

/** Fails the first `count` attempts with `reply`. */
const failing =
  (count: number, reply: Reply) =>
  (request: Parameters<typeof echo>[0], attempt: number): ReturnType<typeof echo> =>
    attempt <= count ? reply : echo(request, attempt);

describe("retries", () => {
  it.each([429, 500, 503, 408])("an attempt that got %i, if the provider allows it", async (status) => {
    const reply = { status, headers: { "retry-after-ms": "1" } };
    const { server, embedder } = await startOpenAi(failing(2, reply));
    expect(await embedder.embed(["a"], "query")).toHaveLength(1);
    expect(server.requests.map(({ body }) => body.input)).toEqual([["a"], ["a"], ["a"]]);
  });

  it("an attempt that timed out", async () => {
    const { server, embedder } = await startOpenAi(failing(1, { hang: "after-headers" }), {
      timeoutMs: 1_000,
    });
    expect(await embedder.embed(["a"], "query")).toHaveLength(1);
    expect(server.requests.length).toBe(2);
  });

  it("no more often than configured", async () => {
    const reply = { status: 500, headers: { "retry-after-ms": "1" } };
    const { server, embedder } = await startOpenAi(failing(9, reply), { maxRetries: 3 });
    expect((await memoryErrorOf(embedder.embed(["a"], "query"))).code).toBe("unavailable");
    expect(server.requests.length).toBe(4);
  });

  it("no permanent failure", async () => {
    const { server, embedder } = await startOpenAi(failing(9, { status: 400 }));
    await memoryErrorOf(embedder.embed(["a"], "query"));
    expect(server.requests.length).toBe(1);
  });
});

describe("Retry-After", () => {
  it("is respected", async () => {
    let waited = false;
    const { server, embedder } = await startOpenAi((request, attempt) => {
      // Without Retry-After the second attempt comes after at most 500 ms.
      if (attempt === 1) setTimeout(() => (waited = true), 800);
      else expect(waited).toBe(true);
      return failing(1, { status: 429, headers: { "retry-after": "1" } })(request, attempt);
    });
    await embedder.embed(["a"], "query");
    expect(server.requests.length).toBe(2);
  });

  it.each([
    ["seconds", { "retry-after": "30" }, 30_000],
    ["milliseconds", { "retry-after-ms": "9000.5" }, 9_001],
    ["a date", { "retry-after": "Tue, 01 Jan 2030 12:01:00 GMT" }, 60_000],
  ])("in %s, over the limit, is returned without waiting", async (_form, headers, retryAfterMs) => {
    const { server, embedder } = await startOpenAi(failing(9, { status: 429, headers }), {}, clockAtNoon);
    const error = await memoryErrorOf(embedder.embed(["a"], "query"));
    expect(error.code).toBe("unavailable");
    expect(error.detail).toEqual({ status: 429, retry_after_ms: retryAfterMs });
    expect(server.requests.length).toBe(1);
  });

  it("is ignored if it is invalid", async () => {
    const reply = { status: 429, headers: { "retry-after": "soon" } };
    const { embedder } = await startOpenAi(failing(9, reply), { maxRetries: 0 });
    expect((await memoryErrorOf(embedder.embed(["a"], "query"))).detail).toEqual({ status: 429 });
  });

  it("in the past is 0", async () => {
    const reply = { status: 429, headers: { "retry-after": "Tue, 01 Jan 2030 11:00:00 GMT" } };
    const { embedder } = await startOpenAi(failing(9, reply), { maxRetries: 0 }, clockAtNoon);
    expect((await memoryErrorOf(embedder.embed(["a"], "query"))).detail).toEqual({
      status: 429,
      retry_after_ms: 0,
    });
  });
});
