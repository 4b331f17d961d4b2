import { expect, it } from "vitest";
import { openaiChatModel } from "../src/index.js";
import { startModel } from "./model-fixture.js";

const HELLO = { messages: [{ role: "user" as const, content: "Hello" }] };

it("returns the text, the finish reason and the cost", async () => {
  const { model } = await startModel([{ text: "Hi there", usage: { inputTokens: 12, outputTokens: 3 } }]);
  expect(await model.complete(HELLO)).toEqual({
    text: "Hi there",
    toolCalls: [],
    finishReason: "stop",
    usage: { inputTokens: 12, outputTokens: 3 },
  });
});

it("sends roles, parts, names, calls, results and images in the format of the API", async () => {
  const { model, server } = await startModel([{ text: "ok" }]);
  await model.complete({
    messages: [
      { role: "developer", content: "Be brief" },
      { role: "user", name: "Al B", content: "Look", images: ["data:image/png;base64,AAAA"] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", name: "look", arguments: '{"at":1}' }],
        reasoning: { secret: true },
      },
      { role: "tool", content: "a cat", tool_call_id: "c1", name: "look" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "A" },
          { type: "text", text: "B" },
        ],
      },
    ],
    tools: [{ name: "look", description: "Looks", parameters: { type: "object", properties: {} } }],
    maxOutputTokens: 50,
    temperature: 0.5,
  });
  expect(server.requests[0]!.body).toEqual({
    model: "scripted",
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: "Be brief" },
      {
        role: "user",
        name: "Al_B",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
      },
      { role: "tool", content: "a cat", tool_call_id: "c1" },
      { role: "assistant", content: "A\n\nB" },
    ],
    tools: [
      {
        type: "function",
        function: { name: "look", description: "Looks", parameters: { type: "object", properties: {} } },
      },
    ],
    max_tokens: 50,
    temperature: 0.5,
  });
});

it("sends the key", async () => {
  const { model, server } = await startModel([{ text: "ok" }], { apiKey: "sk-1" });
  await model.complete(HELLO);
  expect(server.requests[0]!.headers.authorization).toBe("Bearer sk-1");
});

it("returns tool calls with their ids", async () => {
  const { model } = await startModel([
    {
      calls: [
        { id: "c9", name: "add", arguments: { a: 1 } },
        { name: "add", arguments: '{"a":' },
      ],
    },
  ]);
  const { toolCalls, text, finishReason } = await model.complete(HELLO);
  expect(toolCalls).toEqual([
    { id: "c9", name: "add", arguments: '{"a":1}' },
    { id: expect.stringMatching(/.+/), name: "add", arguments: '{"a":' },
  ]);
  expect([text, finishReason]).toEqual(["", "tool_calls"]);
});

it.each([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "refusal"],
  ["something_new", "other"],
])("maps the finish reason %s to %s", async (finishReason, expected) => {
  const { model } = await startModel([{ text: "x", finishReason }]);
  expect((await model.complete(HELLO)).finishReason).toBe(expected);
});

it("returns a refusal as the text", async () => {
  const { model } = await startModel([{ refusal: "I would rather not" }]);
  expect(await model.complete(HELLO)).toMatchObject({ text: "I would rather not", finishReason: "refusal" });
});

it("reads a reply of a server that does not stream", async () => {
  const message = { content: "Hi", tool_calls: [{ id: "c1", function: { name: "add", arguments: "{}" } }] };
  const reply = { choices: [{ message }], usage: { prompt_tokens: 3, completion_tokens: 2 } };
  const { model } = await startModel([], {}, { fetch: async () => Response.json(reply) });
  expect(await model.complete(HELLO)).toEqual({
    text: "Hi",
    toolCalls: [{ id: "c1", name: "add", arguments: "{}" }],
    finishReason: "tool_calls",
    usage: { inputTokens: 3, outputTokens: 2 },
  });
});

it.each([
  [1e308, 1e308],
  [-1, 5],
  [7, 100_000_001],
  [0.5, 3],
])("estimates the usage if the server reports %s and %s tokens", async (inputTokens, outputTokens) => {
  const { model } = await startModel([{ text: "Hi there", usage: { inputTokens, outputTokens } }]);
  const { usage } = await model.complete(HELLO);
  expect(usage.inputTokens).toBe(9);
  expect(usage.outputTokens).toBeGreaterThan(0);
  expect(usage.outputTokens).toBeLessThan(20);
});

it("estimates the usage if the server does not report it", async () => {
  const reply = { choices: [{ message: { content: "x".repeat(40) }, finish_reason: "stop" }] };
  const { model } = await startModel([], {}, { fetch: async () => Response.json(reply) });
  expect((await model.complete(HELLO)).usage).toEqual({ inputTokens: 9, outputTokens: 10 });
});

it.each([
  ["stream_options", "Unknown field: stream_options", { max_tokens: 50 }],
  ["the field of the limit", "Unsupported parameter: 'max_tokens'", { max_completion_tokens: 50 }],
])("sends the request without %s after a rejection, and later ones too", async (_, message, fields) => {
  const { model, server } = await startModel([{ status: 400, message }, { text: "ok" }, { text: "ok" }]);
  await model.complete({ ...HELLO, maxOutputTokens: 50 });
  await model.complete({ ...HELLO, maxOutputTokens: 50 });
  expect(server.requests).toHaveLength(3);
  for (const { body } of server.requests.slice(1)) {
    expect(body).toMatchObject(fields);
    expect("stream_options" in body).toBe(!message.includes("stream_options"));
  }
});

it("lowers an output limit that does not fit into the context, for this request only", async () => {
  const message = "max_tokens is too large: 8000. Your request has 812 input tokens";
  const { model, server } = await startModel([{ status: 400, message }, { text: "ok" }, { text: "ok" }]);
  await model.complete({ ...HELLO, maxOutputTokens: 8_000 });
  await model.complete({ ...HELLO, maxOutputTokens: 8_000 });
  expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([8_000, 2_000, 8_000]);
});

it("returns an empty reply if there are no choices", async () => {
  const { model } = await startModel([{ fault: "no-choices" }]);
  expect(await model.complete(HELLO)).toEqual({
    text: "",
    toolCalls: [],
    finishReason: "other",
    usage: { inputTokens: 7, outputTokens: 0 },
  });
});

it("sends the fields of other servers on request", async () => {
  const { model, server } = await startModel([{ text: "ok" }], {
    developerRole: "developer",
    outputTokensField: "max_completion_tokens",
  });
  await model.complete({ messages: [{ role: "developer", content: "Be brief" }], maxOutputTokens: 5 });
  expect(server.requests[0]!.body).toEqual({
    model: "scripted",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "developer", content: "Be brief" }],
    max_completion_tokens: 5,
  });
});

it("rejects invalid options", () => {
  expect(() => openaiChatModel({ model: "" })).toThrow("model must be a non-empty string");
  expect(() => openaiChatModel({ model: "m", baseURL: "x" } as never)).toThrow("did you mean `baseUrl`?");
  expect(() => openaiChatModel({ model: "m", timeoutMs: 0 })).toThrow("timeoutMs must be an integer of 1..");
  expect(() => openaiChatModel({ model: "m", baseUrl: "http://u:p@h/v1" })).toThrow("without credentials");
  expect(() => openaiChatModel({ model: "m", apiKey: "sk 1" })).toThrow("apiKey must be printable ASCII");
});
