import { expect, it } from "vitest";
import { HastyClock, modelErrorOf, startModel } from "./model-fixture.js";
import type { ScriptedAnswer } from "./scripted-openai/index.js";

const HELLO = { messages: [{ role: "user" as const, content: "Hello" }] };

it.each<[string, ScriptedAnswer, string]>([
  ["429", { status: 429 }, "rate_limited"],
  ["503", { status: 503 }, "unavailable"],
  ["408", { status: 408 }, "timeout"],
  ["401", { status: 401 }, "unauthorized"],
  ["413", { status: 413 }, "too_large"],
  ["400 with its code", { status: 400, code: "context_length_exceeded" }, "too_large"],
  ["400 in words", { status: 400, message: "maximum context length is 8192 tokens" }, "too_large"],
  ["400 of a filter", { status: 400, code: "content_filter" }, "refused"],
  ["400", { status: 400, message: "no such field" }, "invalid_request"],
  ["404", { status: 404 }, "invalid_request"],
  ["a lost connection", { text: "half of this arrives", cutAfter: 40 }, "unavailable"],
  ["a connection that is closed at once", { fault: "reset" }, "unavailable"],
  ["truncated JSON", { fault: "bad-json" }, "invalid_output"],
  ["JSON that is not a completion", { fault: "no-completion" }, "invalid_output"],
])("maps %s to its error code", async (_, answer, code) => {
  const { model, server } = await startModel([answer]);
  const { code: got, retryAfterMs } = await modelErrorOf(model.complete(HELLO));
  expect({ got, retryAfterMs }).toEqual({ got: code, retryAfterMs: undefined });
  expect(server.requests).toHaveLength(1);
});

it("returns the delay that the provider requires", async () => {
  const { model } = await startModel([{ status: 429, headers: { "retry-after": "3" } }]);
  expect((await modelErrorOf(model.complete(HELLO))).retryAfterMs).toBe(3_000);
});

it.each(["no-answer", "stalled"] as const)("times out a slow call: %s", async (fault) => {
  const { model } = await startModel([{ fault }], { timeoutMs: 100 });
  const error = await modelErrorOf(model.complete(HELLO));
  expect([error.code, error.message]).toEqual([
    "timeout",
    "the model provider did not answer within 100 ms. Raise timeoutMs",
  ]);
});

it("takes the time from the clock", async () => {
  const { model } = await startModel(
    [{ fault: "no-answer" }],
    { timeoutMs: 3_600_000 },
    { clock: new HastyClock() },
  );
  expect((await modelErrorOf(model.complete(HELLO))).code).toBe("timeout");
});

it.each(["no-answer", "stalled"] as const)("rejects with the signal's reason: %s", async (fault) => {
  const stop = new AbortController();
  const { model } = await startModel(() => {
    setImmediate(() => stop.abort(new Error("enough")));
    return { fault };
  });
  await expect(model.complete({ ...HELLO, signal: stop.signal })).rejects.toThrow("enough");
  const { model: unasked, server } = await startModel([{ text: "never" }]);
  await expect(unasked.complete({ ...HELLO, signal: stop.signal })).rejects.toThrow("enough");
  expect(server.requests).toEqual([]);
});

it("retries with `retryCountMax`", async () => {
  const { model, server } = await startModel(
    [{ status: 503, headers: { "retry-after-ms": "1" } }, { text: "at last" }],
    { retryCountMax: 1 },
  );
  expect((await model.complete(HELLO)).text).toBe("at last");
  expect(server.requests).toHaveLength(2);
});

it("limits the size of a reply", async () => {
  const { model } = await startModel([{ text: "x".repeat(5_000) }], { responseBytesMax: 2_000 });
  const error = await modelErrorOf(model.complete(HELLO));
  expect([error.code, error.message]).toEqual([
    "invalid_output",
    "the reply of the model provider is longer than 2000 bytes. Raise responseBytesMax",
  ]);
});

it("returns the provider's error, without the API key, in the message", async () => {
  const { model } = await startModel([{ status: 401, message: "Incorrect API key: sk-secret-1" }], {
    apiKey: "sk-secret-1",
  });
  const error = await modelErrorOf(model.complete(HELLO));
  expect(error.message).toBe("the model provider returned an error: 401 Incorrect API key: [api key]");
});
