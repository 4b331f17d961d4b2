import { expect, it } from "vitest";
import { readStream, startModel } from "./model-fixture.js";

const SCHEMA = {
  type: "object",
  properties: { facts: { type: "array", items: { type: "string" } } },
  required: ["facts"],
  additionalProperties: false,
};
const ASKED = {
  messages: [
    { role: "system" as const, content: "You extract." },
    { role: "user" as const, content: "I live in Rome" },
  ],
  schema: { name: "facts", schema: SCHEMA },
};
const REFUSAL = { status: 400, message: "'response_format' of type 'json_schema' is not supported" };

it("sends the schema, as strict if every field is required", async () => {
  const { model, server } = await startModel([{ json: { facts: [] } }, { json: { facts: [] } }]);
  expect((await model.complete(ASKED)).text).toBe('{"facts":[]}');
  await model.complete({ ...ASKED, schema: { name: "facts", schema: { ...SCHEMA, required: [] } } });
  expect(server.requests.map(({ body }) => body.response_format)).toEqual([
    { type: "json_schema", json_schema: { name: "facts", schema: SCHEMA, strict: true } },
    {
      type: "json_schema",
      json_schema: { name: "facts", schema: { ...SCHEMA, required: [] }, strict: false },
    },
  ]);
});

it("sends no schema if the provider rejects schemas, and does so immediately afterwards", async () => {
  const { model, server } = await startModel([REFUSAL, { text: "{}" }, { text: "{}" }]);
  await model.complete(ASKED);
  await model.complete(ASKED);
  expect(server.requests.map(({ body }) => body.response_format !== undefined)).toEqual([true, false, false]);
  expect(server.requests[1]!.body.messages).toEqual(server.requests[0]!.body.messages);
});

it("continues to send schemas if the provider rejected only one of them", async () => {
  const invalid = { status: 400, message: "Invalid schema for response_format 'facts': no." };
  const { model, server } = await startModel([invalid, { text: "{}" }, { text: "{}" }]);
  await model.complete(ASKED);
  await model.complete(ASKED);
  expect(server.requests.map(({ body }) => body.response_format !== undefined)).toEqual([true, false, true]);
});

it("does so for streams, too", async () => {
  const { model, server } = await startModel([REFUSAL, { text: '{"facts":[]}' }]);
  const { parts } = await readStream(model.completeStream(ASKED));
  expect(parts.at(-1)).toMatchObject({ reply: { text: '{"facts":[]}' } });
  expect(server.requests).toHaveLength(2);
});
