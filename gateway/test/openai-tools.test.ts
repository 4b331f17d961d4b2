import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
let model: ScriptedOpenAi;
let url = "";
beforeAll(async () => {
  await fixture.start();
  model = await ScriptedOpenAi.start([]);
  ({ url } = await fixture.gateway({ openai: { upstream: model.baseUrl, mode: "agent" } }));
});
afterAll(async () => {
  await model.stop();
  await fixture.stop();
});
let n = 0;
let agent = "";
beforeEach(() => {
  agent = `tools-${n++}`;
});

const weather = {
  type: "function" as const,
  function: { name: "weather_in", description: "", parameters: { type: "object", properties: {} } },
};
const keep = {
  name: "record_to_memory",
  arguments: { thinking: "it matters", content: ["Ada lives in Lisbon"] },
};
const look = {
  name: "retrieve_from_memory",
  arguments: { thinking: "asked", keywords: ["Where does Ada live"] },
};
const forecast = { name: "weather_in", arguments: { city: "Lisbon" }, id: "call_weather" };

interface Said {
  readonly text: string;
  readonly calls: readonly string[];
  readonly finish: string | null;
}

/** Joins the answer as the official client does, plain or streamed. */
async function say(
  stream: boolean,
  rest: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<Said> {
  const defaultHeaders = { "x-membus-agent": agent };
  const client = new OpenAI({ apiKey: "sk", baseURL: `${url}/v1`, defaultHeaders, maxRetries: 0 });
  const request = { model: "scripted", messages: [{ role: "user" as const, content: "Hello" }], ...rest };
  const { choices } = stream
    ? await client.chat.completions.stream({ ...request, stream: true }).finalChatCompletion()
    : await client.chat.completions.create(request);
  const { message, finish_reason } = choices[0]!;
  const calls = (message.tool_calls ?? []).map((call) =>
    call.type === "function" ? `${call.function.name} ${call.function.arguments}` : call.type,
  );
  return { text: message.content ?? "", calls, finish: finish_reason };
}

const toolsOf = (request: number) => model.requests[request]!.body.tools?.map((tool) => tool.function.name);
const resultsOf = (request: number) =>
  model.requests[request]!.body.messages.filter(({ role }) => role === "tool").map(({ content }) =>
    String(content),
  );

describe.each([
  ["plain", false],
  ["streamed", true],
])("in mode agent, %s", (_, stream) => {
  it("lets the model use memory, and shows the client only its text", async () => {
    model.play([{ calls: [keep] }, { text: "Noted" }]);
    expect(await say(stream)).toEqual({ text: "Noted", calls: [], finish: "stop" });
    expect(toolsOf(0)).toEqual(["record_to_memory", "retrieve_from_memory"]);
    model.play([{ calls: [look] }, { text: "In Lisbon" }]);
    expect(await say(stream)).toEqual({ text: "In Lisbon", calls: [], finish: "stop" });
    expect(resultsOf(1)).toEqual([expect.stringContaining("Ada lives in Lisbon")]);
  });

  it("passes calls of the application's tools on, next to calls of memory", async () => {
    model.play([{ calls: [forecast] }]);
    const expected = { text: "", calls: ['weather_in {"city":"Lisbon"}'], finish: "tool_calls" };
    expect(await say(stream, { tools: [weather] })).toEqual(expected);
    expect(toolsOf(0)).toEqual(["weather_in", "record_to_memory", "retrieve_from_memory"]);
    model.play([{ calls: [keep, forecast] }]);
    expect(await say(stream, { tools: [weather] })).toEqual(expected);
    model.play([{ calls: [look] }, { text: "In Lisbon" }]);
    await say(stream);
    expect(resultsOf(1)).toEqual([expect.stringContaining("Ada lives in Lisbon")]);
  });

  it("does not offer a memory tool with a name that the application uses", async () => {
    const own = { ...weather, function: { ...weather.function, name: "record_to_memory" } };
    model.play([{ calls: [keep] }]);
    expect((await say(stream, { tools: [own] })).calls).toEqual([
      `record_to_memory ${JSON.stringify(keep.arguments)}`,
    ]);
    expect(toolsOf(0)).toEqual(["record_to_memory", "retrieve_from_memory"]);
  });

  it("offers no tools in the last round", async () => {
    model.play(({ body }) => (body.tools === undefined ? { text: "Enough" } : { calls: [look] }));
    expect((await say(stream)).text).toBe("Enough");
    expect(model.requests).toHaveLength(8);
  });

  it("passes a call of a tool that was not offered on to the application", async () => {
    model.play(() => ({ calls: [look] }));
    const called = [`retrieve_from_memory ${JSON.stringify(look.arguments)}`];
    expect(await say(stream)).toEqual({ text: "", calls: called, finish: "tool_calls" });
    expect(model.requests).toHaveLength(8);
  });

  it("reports an error of a later round", async () => {
    model.play([{ calls: [look] }, { status: 429, message: "too many", code: "rate_limit" }]);
    await expect(say(stream)).rejects.toThrow("too many");
  });

  it("recalls, offers tools and records the turn in mode both", async () => {
    const metadata = { membus_mode: "both" };
    model.play([{ calls: [keep] }, { text: "Ada has a cat" }]);
    await say(stream, { metadata });
    model.play([{ text: "A cat" }]);
    await say(stream, { metadata, messages: [{ role: "user", content: "Which cat has Ada?" }] });
    const [system] = model.requests[0]!.body.messages;
    expect(system).toMatchObject({ role: "system", content: expect.stringContaining("Ada has a cat") });
    expect(system!.content).toContain("Ada lives in Lisbon");
  });

  it("offers no tools for several choices", async () => {
    model.play([{ text: "One" }]);
    await say(stream, { n: 2 });
    expect(toolsOf(0)).toBeUndefined();
  });
});
