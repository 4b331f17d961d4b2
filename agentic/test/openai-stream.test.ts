import { expect, it } from "vitest";
import type { ModelError } from "../src/index.js";
import type { ModelStreamPart } from "../src/model/index.js";
import { readStream, startModel } from "./model-fixture.js";
import type { ScriptedAnswer } from "./scripted-openai/index.js";

const HELLO = { messages: [{ role: "user" as const, content: "Hello" }] };
const LONG = "The train leaves at nine from platform four, and the one after it at ten. ".repeat(4);

function textOf(parts: readonly ModelStreamPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

it("yields the texts as they arrive, then the reply", async () => {
  const { model, server } = await startModel([{ text: LONG, usage: { inputTokens: 9, outputTokens: 80 } }]);
  const { parts, error } = await readStream(model.completeStream(HELLO));
  expect(error).toBeUndefined();
  expect(parts.length).toBeGreaterThan(3);
  expect(textOf(parts)).toBe(LONG);
  expect(parts.at(-1)).toEqual({
    type: "reply",
    reply: {
      text: LONG,
      toolCalls: [],
      finishReason: "stop",
      usage: { inputTokens: 9, outputTokens: 80 },
    },
  });
  expect(server.requests[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

it("assembles tool calls", async () => {
  const calls = [
    { id: "c1", name: "add", arguments: { text: LONG } },
    { id: "c2", name: "search", arguments: { query: "train" } },
  ];
  const { model } = await startModel([{ text: "Let me see", calls }]);
  const { parts } = await readStream(model.completeStream(HELLO));
  expect(parts.at(-1)).toMatchObject({
    reply: {
      text: "Let me see",
      finishReason: "tool_calls",
      toolCalls: [
        { id: "c1", name: "add", arguments: JSON.stringify({ text: LONG }) },
        { id: "c2", name: "search", arguments: '{"query":"train"}' },
      ],
    },
  });
});

it("yields a refusal as a reply without texts", async () => {
  const { model } = await startModel([{ refusal: "I would rather not" }]);
  expect((await readStream(model.completeStream(HELLO))).parts).toMatchObject([
    { type: "reply", reply: { text: "I would rather not", finishReason: "refusal" } },
  ]);
});

it.each<[string, ScriptedAnswer, string]>([
  ["429", { status: 429 }, "rate_limited"],
  ["500", { status: 500 }, "unavailable"],
  ["a payload too large", { status: 413 }, "too_large"],
  ["a connection lost in the middle", { text: LONG, cutAfter: 4 }, "unavailable"],
  ["an end in the middle", { text: LONG, endAfter: 4 }, "unavailable"],
  ["an error in the middle", { fault: "error-event" }, "unavailable"],
  ["an event that is not JSON", { fault: "bad-json" }, "invalid_output"],
  ["events without content", { fault: "no-completion" }, "invalid_output"],
])("%s is an error without a reply", async (_, answer, code) => {
  const { model } = await startModel([answer]);
  const { parts, error } = await readStream(model.completeStream(HELLO));
  expect((error as ModelError).code).toBe(code);
  expect(parts.filter(({ type }) => type === "reply")).toEqual([]);
});

it.each(["no-answer", "stalled"] as const)("times out a stalled stream: %s", async (fault) => {
  const { model } = await startModel([{ fault }], { timeoutMs: 100 });
  expect(await readStream(model.completeStream(HELLO))).toMatchObject({
    parts: [],
    error: { code: "timeout" },
  });
});

it("yields the texts that arrived before the connection was lost", async () => {
  const { model } = await startModel([{ text: LONG, cutAfter: 4 }]);
  const { parts } = await readStream(model.completeStream(HELLO));
  expect(textOf(parts)).not.toBe("");
  expect(LONG.startsWith(textOf(parts))).toBe(true);
});

it("rejects with the signal's reason during the stream", async () => {
  const stop = new AbortController();
  const { model } = await startModel([{ text: LONG }]);
  const parts: ModelStreamPart[] = [];
  const reading = (async () => {
    for await (const part of model.completeStream({ ...HELLO, signal: stop.signal })) {
      parts.push(part);
      stop.abort(new Error("enough"));
    }
  })();
  await expect(reading).rejects.toThrow("enough");
  expect(parts.filter(({ type }) => type === "reply")).toEqual([]);
});

it("can be stopped during the stream, and started again", async () => {
  const { model, server } = await startModel([{ text: LONG }, { text: "Again" }]);
  for await (const part of model.completeStream(HELLO)) {
    expect(part.type).toBe("text");
    break;
  }
  expect((await model.complete(HELLO)).text).toBe("Again");
  expect(server.requests).toHaveLength(2);
});

it("sends nothing before the first read", async () => {
  const { model, server } = await startModel([{ text: "never" }]);
  model.completeStream(HELLO);
  await model.complete(HELLO);
  expect(server.requests.map(({ body }) => body.stream)).toEqual([true]);
});
