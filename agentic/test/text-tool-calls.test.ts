import { expect, it } from "vitest";
import { startModel } from "./model-fixture.js";

const TOOL = { name: "add", description: "Adds", parameters: { type: "object", properties: {} } };
const HELLO = { messages: [{ role: "user" as const, content: "Hello" }], tools: [TOOL] };
const CALL = '{"name": "add", "arguments": {"a": {"b": 1}}}';

it.each([
  ["as the whole text", CALL, ""],
  ["in a tag", `I add it.\n<tool_call>\n${CALL}\n</tool_call>`, "I add it."],
  ["in a tag without an end", `<tool_call>${CALL}`, ""],
  ["in a fence", `First:\n\`\`\`json\n${CALL}\n\`\`\`\nDone.`, "First:\n\nDone."],
  ["in outer double braces", `{${CALL}}`, ""],
  ["in double braces", '{{"name": "add", "arguments": {{"a": {{"b": 1}}}}}}', ""],
  ["after double braces", `{${CALL}`, ""],
  ["with its name as the only field", '{"add": {"a": {"b": 1}}}', ""],
  ["with the field function_name", '{"function_name": "add", "arguments": {"a": {"b": 1}}}', ""],
  ["after words", `I call ${CALL}`, "I call"],
  ["with parameters", '{"name": "add", "parameters": {"a": {"b": 1}}}', ""],
  ["as a function", `{"type":"function","function":${CALL}}`, ""],
  ["with arguments as text", '{"name": "add", "arguments": "{\\"a\\":{\\"b\\":1}}"}', ""],
])("recognizes a tool call that is written %s", async (_, text, rest) => {
  const { model } = await startModel([{ text }]);
  expect(await model.complete(HELLO)).toMatchObject({
    text: rest,
    finishReason: "tool_calls",
    toolCalls: [{ id: expect.stringMatching(/.+/), name: "add", arguments: '{"a":{"b":1}}' }],
  });
});

it("recognizes several calls", async () => {
  const { model } = await startModel([
    { text: `<tool_call>${CALL}</tool_call><tool_call>${CALL}</tool_call>` },
  ]);
  expect((await model.complete(HELLO)).toolCalls).toHaveLength(2);
});

it.each([
  ["another name", '{"name": "delete", "arguments": {}}'],
  ["no name", '```json\n{"arguments": {}}\n```'],
  ["no JSON", "{{name: add}}"],
  ["plain words", "The tool add has the arguments a and b."],
])("leaves a text with %s alone", async (_, text) => {
  const { model } = await startModel([{ text }]);
  expect(await model.complete(HELLO)).toMatchObject({ text, toolCalls: [], finishReason: "stop" });
});

it("leaves a call alone if no tools were offered", async () => {
  const { model } = await startModel([{ text: CALL }]);
  expect(await model.complete({ messages: HELLO.messages })).toMatchObject({ text: CALL, toolCalls: [] });
});
