import { expect, it } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../host/test/fake-clock.js";
import { type ChatMessage, generateObject } from "../src/model/index.js";
import { modelErrorOf, startModel } from "./model-fixture.js";
import type { Script, ScriptedAnswer } from "./scripted-openai/index.js";

const FactsSchema = z.object({
  facts: z.array(z.string().min(1).max(100)).max(20).describe("What the user said"),
  count: z.int().default(1),
});
const USAGE = { inputTokens: 10, outputTokens: 4 };

/** Different words without digits. */
const WORDS = Array.from({ length: 6_000 }, (_, n) => (n * n).toString(36).replaceAll(/\d/g, "x"));

const QUESTION = {
  messages: [{ role: "user" as const, content: "I live in Rome" }],
  schema: FactsSchema,
  name: "facts",
};

async function ask(
  script: Script,
  options: Partial<
    Omit<typeof QUESTION, "messages"> & {
      signal: AbortSignal;
      maxOutputTokens: number;
      example: z.input<typeof FactsSchema>;
      demonstration: { question: string; answer: z.input<typeof FactsSchema> };
      messages: ChatMessage[];
      retryCountMax: number;
      retryWaitMsMax: number;
    }
  > = {},
) {
  const started = await startModel(script);
  return { ...started, received: generateObject(started.model, { ...QUESTION, ...options }, started.meter) };
}

it("returns the parsed answer and its cost", async () => {
  const { received, server, meter } = await ask([{ json: { facts: ["lives in Rome"] }, usage: USAGE }]);
  expect(await received).toEqual({ facts: ["lives in Rome"], count: 1 });
  expect(meter.cost).toMatchObject({ modelCalls: 1, inputTokens: 10, outputTokens: 4, entriesWritten: 0 });
  expect(server.requests[0]!.body.response_format!.json_schema).toEqual({
    name: "facts",
    strict: false,
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        facts: {
          type: "array",
          description: "What the user said",
          maxItems: 20,
          items: { type: "string", minLength: 1, maxLength: 100 },
        },
        count: { type: "integer", default: 1, minimum: -9007199254740991, maximum: 9007199254740991 },
      },
      required: ["facts"],
      additionalProperties: false,
    },
  });
});

it("shows the form and an example in the prompt, also where a server ignores the schema", async () => {
  const { received, server } = await ask([{ json: { facts: [] } }]);
  await received;
  expect(server.requests[0]!.body.messages).toEqual([
    {
      role: "user",
      content: `I live in Rome

A program reads your answer. Write one JSON value in this form and nothing else: no explanation, no comments and no code fence.

{
  "facts": [string, ..., at most 20 items],  // What the user said
  "count": integer
}

An example of the form, with other content:
{"facts":["text"],"count":1}`,
    },
  ]);
});

it("shows the given example", async () => {
  const { received, server } = await ask([{ json: { facts: [] } }], { example: { facts: ["likes tea"] } });
  await received;
  expect(server.requests[0]!.body.messages[0]!.content).toMatch(/\{"facts":\["likes tea"\]\}$/);
});

it("shows a demonstration as an earlier turn, and the form in the system message", async () => {
  const demonstration = { question: "I live in Oslo", answer: { facts: ["Oslo"] } };
  const messages = [
    { role: "system" as const, content: "Find places." },
    { role: "user" as const, content: "I live in Rome" },
  ];
  const { received, server } = await ask([{ json: { facts: [] } }], { demonstration, messages });
  await received;
  const [system, ...turns] = server.requests[0]!.body.messages;
  expect(system!.content).toMatch(/^Find places\.\n\nA program reads your answer/);
  expect(turns.map(({ content }) => content)).toEqual([
    "I live in Oslo",
    '{"facts":["Oslo"]}',
    "I live in Rome",
  ]);
  const { received: rejected } = await ask([], { demonstration });
  await expect(rejected).rejects.toThrow("a demonstration requires a system message before it");
});

it("sends the output limit that the schema gives, and thinking on top", async () => {
  const { received, server } = await ask([{ json: { facts: [] } }]);
  await received;
  expect(server.requests[0]!.body.max_tokens).toBe(1_344 + 2_048);
  const { received: lower, server: second } = await ask([{ json: { facts: [] } }], { maxOutputTokens: 50 });
  await lower;
  expect(second.requests[0]!.body.max_tokens).toBe(50 + 2_048);
});

it("rejects a schema that allows an endless answer, before it calls the model", async () => {
  const schema = z.object({ facts: z.array(z.int()) });
  const { model, meter, server } = await startModel([]);
  const received = generateObject(model, { ...QUESTION, schema }, meter);
  await expect(received).rejects.toThrow("the answer `facts.facts` has no maxItems");
  expect(server.requests).toEqual([]);
});

it.each([
  ["an endless list", `{"facts":[${Array.from({ length: 900 }, (_, n) => n).join(",")}`, /repeated itself/],
  ["one fact without end", `{"facts":[${'"lives in Rome",'.repeat(300)}`, /repeated itself/],
  ["a long text", `{"facts":["${WORDS.join(" ")}`, /its limit of 1344 tokens/],
])("ends %s early, asks once more, and counts its tokens", async (_, text, problem) => {
  const { received, server, meter } = await ask([{ text }, { json: { facts: ["a"] }, usage: USAGE }]);
  expect(await received).toEqual({ facts: ["a"], count: 1 });
  expect(server.requests[1]!.body.messages.at(-1)!.content).toMatch(problem);
  expect(meter.cost.modelCalls).toBe(2);
  expect(meter.cost.outputTokens).toBeGreaterThan(USAGE.outputTokens);
  expect(meter.cost.outputTokens).toBeLessThan(text.length / 4 + USAGE.outputTokens);
});

it("does not end many equal decisions about different facts", async () => {
  const schema = z.object({
    decisions: z.array(z.object({ news: z.int(), outcome: z.enum(["new", "old"]) })).max(50),
  });
  const decisions = Array.from({ length: 50 }, (_, n) => ({ news: n + 1, outcome: "new" as const }));
  const { model, meter } = await startModel([{ json: { decisions } }]);
  expect(await generateObject(model, { ...QUESTION, schema }, meter)).toEqual({ decisions });
});

it("does not repeat a request that timed out", async () => {
  const clock = new FakeClock();
  const { model, meter, server } = await startModel(
    () => {
      setImmediate(() => clock.advance(60_001));
      return { fault: "no-answer" };
    },
    {},
    { clock },
  );
  expect((await modelErrorOf(generateObject(model, QUESTION, meter))).code).toBe("timeout");
  expect(server.requests).toHaveLength(1);
});

it.each([
  ["in a code fence", 'Here it is:\n```json\n{"facts":["a"]}\n```\nAnything else?'],
  ["between other words", 'I found {one} fact: {"facts":["a"]}. [Done]'],
  ["after an example", '{"facts":[""]} would be empty, so: {"facts":["a"]}'],
  ["with Windows line ends", '```\r\n{"facts":["a"]}\r\n```'],
])("finds JSON %s", async (_, text) => {
  const { received, server } = await ask([{ text }]);
  expect(await received).toEqual({ facts: ["a"], count: 1 });
  expect(server.requests).toHaveLength(1);
});

it.each<[string, ScriptedAnswer, RegExp]>([
  ["no JSON", { text: "I cannot find any" }, /It is not JSON/],
  [
    "truncated JSON",
    { text: '{"facts":["a"', finishReason: "length" },
    /It was cut off because it was too long. It is not JSON/,
  ],
  ["JSON of another form", { json: { facts: [1] } }, /expected string, received number\s+→ at facts\[0\]/],
])("asks once more, with the error, if the answer is %s", async (_, answer, problem) => {
  const { received, server, meter } = await ask([
    { ...answer, usage: USAGE } as ScriptedAnswer,
    { json: { facts: [] }, usage: USAGE },
  ]);
  expect(await received).toEqual({ facts: [], count: 1 });
  const messages = server.requests[1]!.body.messages;
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(messages[2]!.content).toMatch(problem);
  expect(meter.cost).toMatchObject({ modelCalls: 2, inputTokens: 20, outputTokens: 8 });
});

it.each<[string, ScriptedAnswer]>([
  ["an empty text", { text: "", usage: USAGE }],
  ["a reply without choices", { fault: "no-choices" }],
  ["a truncated reply", { fault: "bad-json" }],
  ["an invalid completion", { fault: "no-completion" }],
])("asks once more if the reply is %s", async (_, answer) => {
  const { received, server } = await ask([answer, { json: { facts: [] } }]);
  expect(await received).toEqual({ facts: [], count: 1 });
  expect(server.requests[1]!.body.messages.map(({ role }) => role)).toEqual(["user", "user"]);
});

it("gives up after the second invalid answer, and reports the cost", async () => {
  const { received, server, meter } = await ask([
    { text: "no", usage: USAGE },
    { json: { facts: "no" }, usage: USAGE },
    { json: { facts: [] } },
  ]);
  const error = await modelErrorOf(received);
  expect(error.code).toBe("invalid_output");
  expect(error.message).toMatch(/^the model gave no valid facts: .*expected array, received string/s);
  expect(server.requests).toHaveLength(2);
  expect(meter.cost).toMatchObject({ modelCalls: 2, inputTokens: 20, outputTokens: 8 });
});

it("does not retry a refusal", async () => {
  const { received, server, meter } = await ask([{ refusal: "I would rather not", usage: USAGE }]);
  const error = await modelErrorOf(received);
  expect([error.code, error.message]).toEqual(["refused", "the model refused: I would rather not"]);
  expect(server.requests).toHaveLength(1);
  expect(meter.cost).toMatchObject({ modelCalls: 1, inputTokens: 10 });
});

it("waits as long as the provider requires, and retries", async () => {
  const { received, meter, clock } = await ask([
    { status: 429, headers: { "retry-after": "3" } },
    { status: 500 },
    { json: { facts: [] }, usage: USAGE },
  ]);
  expect(await received).toEqual({ facts: [], count: 1 });
  expect(clock.pausesMs).toHaveLength(2);
  expect(clock.pausesMs[0]).toBe(3_000);
  expect(clock.pausesMs[1]).toBeGreaterThan(749);
  expect(clock.pausesMs[1]).toBeLessThan(1_001);
  expect(meter.cost).toMatchObject({ modelCalls: 3, inputTokens: 10, outputTokens: 4 });
});

it.each<[string, ScriptedAnswer]>([
  ["429", { status: 429 }],
  ["500", { status: 500 }],
  ["a lost connection", { text: "half of this arrives", cutAfter: 30 }],
])("gives up on %s after the maximum number of attempts", async (_, answer) => {
  const { received, server, meter } = await ask(() => answer);
  expect((await modelErrorOf(received)).retryable).toBe(true);
  expect(server.requests).toHaveLength(3);
  expect(meter.cost.modelCalls).toBe(3);
});

it("does not start a pause that is too long", async () => {
  const { received, clock, server } = await ask(() => ({ status: 429, headers: { "retry-after": "20" } }));
  expect(await modelErrorOf(received)).toMatchObject({ code: "rate_limited", retryAfterMs: 20_000 });
  expect(clock.pausesMs).toEqual([20_000]);
  expect(server.requests).toHaveLength(2);
});

it.each([401, 400, 413])("does not retry a permanent error: %i", async (status) => {
  const { received, server, meter } = await ask(() => ({ status }));
  expect((await modelErrorOf(received)).retryable).toBe(false);
  expect(server.requests).toHaveLength(1);
  expect(meter.cost).toMatchObject({ modelCalls: 1 });
});

it("rejects with the signal's reason, also during a pause", async () => {
  const stop = new AbortController();
  const { model, meter, server } = await startModel([{ status: 503 }]);
  meter.clock.after = () => {
    setImmediate(() => stop.abort(new Error("enough")));
    return () => {};
  };
  await expect(generateObject(model, { ...QUESTION, signal: stop.signal }, meter)).rejects.toThrow("enough");
  expect(server.requests).toHaveLength(1);
  expect(meter.cost).toMatchObject({ modelCalls: 1 });
});

it("rejects invalid options before it calls the model", async () => {
  const { received, server } = await ask([], { retryCountMax: -1 });
  await expect(received).rejects.toThrow("retryCountMax must be an integer of 0..20");
  const { received: unknown } = await ask([], { retryCount: 1 } as never);
  await expect(unknown).rejects.toThrow("did you mean `retryCountMax`?");
  const { received: nameless } = await ask([], { name: "the facts" });
  await expect(nameless).rejects.toThrow("name must be 1..64 letters, digits, `_` or `-`, got `the facts`");
  expect(server.requests).toEqual([]);
});
