import { describe, expect, it } from "vitest";
import { completeInWindow, streamInWindow } from "../src/index.js";
import { startModel } from "./model-fixture.js";
import { assistant, NUMBERS, openWindow, user } from "./window-fixture.js";

const OTHER = { id: "other", max_model_len: 1 };

describe("the size of a model's context", () => {
  it.each<[string, string, unknown, number]>([
    ["vLLM", "/v1/models", { data: [OTHER, { id: "scripted", max_model_len: 8192 }] }, 8192],
    [
      "llama-server",
      "/v1/models",
      { data: [{ id: "a.gguf", meta: { n_ctx: 4096, n_ctx_train: 32768 } }] },
      4096,
    ],
    ["an earlier llama-server", "/props", { default_generation_settings: { n_ctx: 2048 } }, 2048],
    ["Ollama", "/api/ps", { models: [{ name: "scripted", context_length: 16384 }] }, 16384],
    [
      "LM Studio",
      "/api/v0/models",
      { data: [{ id: "scripted", max_context_length: 131072, loaded_context_length: 4096 }] },
      4096,
    ],
    ["OpenRouter", "/v1/models", { data: [OTHER, { id: "scripted", context_length: 200000 }] }, 200000],
    ["Groq", "/v1/models", { data: [OTHER, { id: "scripted", context_window: 131072 }] }, 131072],
  ])("is read from %s", async (_, path, document, contextTokens) => {
    const { server, model } = await startModel([]);
    server.documents.set(path, document);
    expect(await model.contextTokens!()).toBe(contextTokens);
  });

  it.each([
    ["no list", undefined],
    ["a list without the model", { data: [OTHER, { id: "second", max_model_len: 2 }] }],
    ["a list without sizes", { data: [{ id: "scripted" }] }],
    ["the size of the training only", { data: [{ id: "scripted", meta: { n_ctx_train: 32768 } }] }],
    ["no number", { data: [{ id: "scripted", max_model_len: "8192" }] }],
    ["another document", ["scripted"]],
  ])("is unknown for a server with %s", async (_, document) => {
    const { server, model } = await startModel([]);
    if (document !== undefined) server.documents.set("/v1/models", document);
    expect(await model.contextTokens!()).toBeUndefined();
  });

  it("is unknown for a server that cannot be reached, and fails if the caller aborts", async () => {
    const { model } = await startModel([], { baseUrl: "http://127.0.0.1:1/v1" });
    expect(await model.contextTokens!()).toBeUndefined();
    await expect(model.contextTokens!(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });

  it("comes from the option without a request", async () => {
    const { model } = await startModel([], { contextTokens: 4096, baseUrl: "http://127.0.0.1:1/v1" });
    expect(await model.contextTokens!()).toBe(4096);
  });
});

const rejection = {
  status: 400,
  message: "exceeds the available context size (400 tokens), try increasing it",
};

describe("a window in a model's context", () => {
  it("takes 60 % of it, and summaries fit too", async () => {
    const { window } = await openWindow({ summaryTokensMax: 900 }, NUMBERS);
    expect(window.limitTo(8_192)).toBe(true);
    expect(window.limitTo(8_192)).toBe(false);
    expect(window.contextTokens).toBe(8_192);
    const { thresholdTokens, summaryInputTokensMax, summaryTokensMax, toolResultTokensMax } = window.options;
    expect([thresholdTokens, summaryInputTokensMax, summaryTokensMax, toolResultTokensMax]).toEqual([
      ...[4_915, 2_048, 900, 1_024],
    ]);
    expect(() => window.limitTo(0)).toThrow(TypeError);
  });

  it("counts the surrounding messages, and includes them", async () => {
    const { window } = await openWindow({ thresholdTokens: 600 }, NUMBERS);
    expect(await window.messages()).toHaveLength(20);
    const [before, after] = [[user("b".repeat(100))], [user("a".repeat(100))]];
    const messages = await window.messages({ before, after });
    expect([messages[0], messages.at(-1)]).toEqual([before[0], after[0]]);
    expect(messages.length).toBeLessThan(20);
  });

  it.each(["complete", "stream"])("learns its size from the first rejection: %s", async (way) => {
    const { server, model } = await startModel([rejection, { text: "ten" }]);
    const { window } = await openWindow({}, NUMBERS);
    if (way === "complete") expect((await completeInWindow(model, window)).text).toBe("ten");
    else {
      const parts = [];
      for await (const part of streamInWindow(model, window, { after: [user("q")] })) parts.push(part);
      expect(parts.at(-1)).toMatchObject({ type: "reply", reply: { text: "ten" } });
    }
    expect(window.contextTokens).toBe(400);
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([undefined, 100]);
    expect(server.requests[1]!.body.messages.length).toBeLessThan(server.requests[0]!.body.messages.length);
  });

  it("sends only the surrounding messages if nothing else fits, and then gives up", async () => {
    const { server, model } = await startModel(() => rejection);
    const { window } = await openWindow({}, [...NUMBERS, user("x".repeat(900)), assistant("y".repeat(900))]);
    await expect(completeInWindow(model, window, { after: [user("q")] })).rejects.toMatchObject({
      code: "too_large",
      contextTokens: 400,
    });
    expect(server.requests.at(-1)!.body.messages).toEqual([{ role: "user", content: "q" }]);
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });
});
