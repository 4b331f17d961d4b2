import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RawGateway } from "./raw-gateway.js";
import { answerWith, type ScriptedItem } from "./response-events.js";

const fixture = new RawGateway();
let url = "";
beforeAll(async () => {
  await fixture.start();
  ({ url } = await fixture.gateway({ openai: { upstream: fixture.upstream.baseUrl, mode: "agent" } }));
});
afterAll(() => fixture.stop());
let n = 0;
let agent = "";
beforeEach(() => {
  agent = `tools-${n++}`;
  fixture.upstream.requests.length = 0;
});

const weather = {
  type: "function" as const,
  name: "weather_in",
  parameters: { type: "object", properties: {} },
  strict: false,
};
const keep = {
  call: "record_to_memory",
  arguments: { thinking: "it matters", content: ["Ada lives in Lisbon"] },
};
const look = {
  call: "retrieve_from_memory",
  arguments: { thinking: "asked", keywords: ["Where does Ada live"] },
};
const forecast = { call: "weather_in", arguments: { city: "Lisbon" } };

/** The model's answers in order, with the ids `r1`, `r2` and so on. */
function play(...answers: readonly (readonly ScriptedItem[])[]): void {
  let next = 0;
  fixture.upstream.requests.length = 0;
  fixture.upstream.answer = (response, { body }) => {
    const items = answers[Math.min(next++, answers.length - 1)]!;
    answerWith(response, body, [`r${next}`, items]);
  };
}

interface Asked {
  readonly tools?: { readonly name: string }[];
  readonly input: { readonly type?: string; readonly output?: string; readonly call_id?: string }[];
}
const asked = (request: number) => JSON.parse(fixture.upstream.requests[request]!.body.toString()) as Asked;
const toolsOf = (request: number) => asked(request).tools?.map(({ name }) => name);
const outputsOf = (request: number) => asked(request).input.flatMap(({ output }) => output ?? []);

type Params = Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>;

/** Joins the answer as the official client does, plain or streamed. */
function respond(stream: boolean, rest: Params = {}): Promise<OpenAI.Responses.Response> {
  const defaultHeaders = { "x-membus-agent": agent };
  const client = new OpenAI({ apiKey: "sk", baseURL: `${url}/v1`, defaultHeaders, maxRetries: 0 });
  const request = { model: "scripted", input: "Hello", ...rest };
  if (!stream) return client.responses.create(request);
  return client.responses.stream({ ...request, stream: true }).finalResponse();
}

async function say(stream: boolean, rest: Params = {}) {
  const { id, output, output_text: text, tools } = await respond(stream, rest);
  const calls = output.flatMap((item) =>
    item.type === "function_call" ? `${item.name} ${item.arguments}` : [],
  );
  return { id, text, calls, tools: tools.flatMap((tool) => (tool.type === "function" ? tool.name : [])) };
}

describe.each([
  ["plain", false],
  ["streamed", true],
])("in mode agent, %s", (_, stream) => {
  it("lets the model use memory, and shows the client only its text", async () => {
    play([{ thought: "hm" }, keep], [{ text: "Noted" }]);
    expect(await say(stream)).toEqual({ id: "r2", text: "Noted", calls: [], tools: [] });
    expect(toolsOf(0)).toEqual(["record_to_memory", "retrieve_from_memory"]);
    expect(asked(1).input).toEqual([
      { role: "user", content: "Hello" },
      { type: "reasoning", id: "rs_r1_0", summary: [], encrypted_content: "hm" },
      expect.objectContaining({ type: "function_call", id: "fc_r1_1", call_id: "call_r1_1" }),
      { type: "function_call_output", call_id: "call_r1_1", output: expect.any(String) },
    ]);
    play([look], [{ text: "In Lisbon" }]);
    const input = [{ role: "user" as const, content: "Where?" }];
    expect(await say(stream, { input })).toEqual({ id: "r2", text: "In Lisbon", calls: [], tools: [] });
    expect(outputsOf(1)).toEqual([expect.stringContaining("Ada lives in Lisbon")]);
  });

  it("sends no ids to a model server that does not store answers", async () => {
    play([{ thought: "hm" }, look], [{ text: "In Lisbon" }]);
    await say(stream, { store: false });
    expect(asked(1).input).toEqual([
      { role: "user", content: "Hello" },
      expect.objectContaining({ type: "reasoning", encrypted_content: "hm" }),
      expect.not.objectContaining({ id: expect.anything() }),
      expect.objectContaining({ type: "function_call_output" }),
    ]);
  });

  it("passes calls of the application's tools on, and sends results of memory calls with the next request", async () => {
    play([forecast]);
    const calls = ['weather_in {"city":"Lisbon"}'];
    const expected = { id: "r1", text: "", calls, tools: ["weather_in"] };
    expect(await say(stream, { tools: [weather] })).toEqual(expected);
    expect(toolsOf(0)).toEqual(["weather_in", "record_to_memory", "retrieve_from_memory"]);
    play([keep, forecast]);
    expect(await say(stream, { tools: [weather] })).toEqual(expected);
    play([{ text: "It rains" }]);
    const output = { type: "function_call_output" as const, call_id: "call_r1_1", output: "rain" };
    await say(stream, { previous_response_id: "r1", input: [output] });
    expect(asked(0).input).toEqual([
      { type: "function_call_output", call_id: "call_r1_0", output: expect.any(String) },
      output,
    ]);
    agent = "another";
    await say(stream, { previous_response_id: "r1", input: [output] });
    expect(asked(1).input).toEqual([output]);
  });

  it("does not offer a memory tool with a name that the application uses", async () => {
    play([keep]);
    const { calls } = await say(stream, { tools: [{ ...weather, name: "record_to_memory" }] });
    expect(calls).toEqual([`record_to_memory ${JSON.stringify(keep.arguments)}`]);
    expect(toolsOf(0)).toEqual(["record_to_memory", "retrieve_from_memory"]);
  });

  it("asks the model at most eight times, the last time without tools", async () => {
    play([look]);
    expect((await say(stream)).calls).toEqual([`retrieve_from_memory ${JSON.stringify(look.arguments)}`]);
    expect([fixture.upstream.requests.length, toolsOf(6)?.length, toolsOf(7)]).toEqual([8, 2, undefined]);
  });

  it("reports an error of a later round", async () => {
    play([look]);
    const first = fixture.upstream.answer;
    fixture.upstream.answer = (response, request) => {
      if (fixture.upstream.requests.length === 1) return first(response, request);
      response.writeHead(429, { "content-type": "application/json" });
      response.end('{"error":{"message":"too many","code":"rate_limit","type":"x","param":null}}');
    };
    await expect(say(stream)).rejects.toThrow("too many");
  });

  it("recalls, offers tools and records the turn in mode both", async () => {
    const metadata = { membus_mode: "both" };
    play([keep], [{ text: "Ada has a cat" }]);
    await say(stream, { metadata });
    play([{ text: "A cat" }]);
    await say(stream, { metadata, input: "Which cat has Ada?", instructions: "Be brief" });
    const { instructions } = JSON.parse(fixture.upstream.requests[0]!.body.toString()) as {
      instructions: string;
    };
    expect(instructions).toMatch(/^Be brief\n.*Ada has a cat/s);
    expect(instructions).toContain("Ada lives in Lisbon");
  });

  it.each([
    ["in the background", { background: true }],
    ["of a stored conversation", { conversation: "conv_1" }],
  ])("offers no tools for a response %s", async (_name, rest) => {
    play([{ text: "One" }]);
    await say(stream, rest);
    expect(toolsOf(0)).toBeUndefined();
  });
});
