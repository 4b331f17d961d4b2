import { MemoryClient } from "@membus/agent-client";
import { LongTermMemory, openConversation } from "@membus/agentic";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayFixture } from "./gateway-fixture.js";
import { RawUpstream } from "./raw-upstream.js";
import { ASKED, RememberingGateway, TOLD } from "./remembering-gateway.js";

const fixture = new RememberingGateway();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

type Request = Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>;

async function say(headers: Readonly<Record<string, string>>, input: Request["input"], rest: Request = {}) {
  const { data, response } = await fixture
    .client(headers)
    .responses.create({ model: "scripted", input: input!, ...rest })
    .withResponse();
  return [data.output_text, response.headers.get("x-membus-memory")];
}

async function factsOf(agent: string): Promise<string[]> {
  const client = await MemoryClient.connect({ bus: await fixture.bus(), agent });
  const facts = [];
  for await (const { text } of new LongTermMemory(client, { subject: "user:default" }).entries())
    facts.push(text);
  return facts.toSorted();
}

describe("a fact in a response", () => {
  it("belongs to the user and agent of headers, metadata or `user`", async () => {
    const ada = { "x-membus-agent": "zoë", "x-membus-user": "ada" };
    await say(ada, TOLD);
    const knows = ["You live in Lisbon.", "attached"];
    const knowsNot = ["You did not say.", "attached"];
    expect(await say(ada, ASKED)).toEqual(knows);
    expect(await say({}, ASKED, { metadata: { membus_agent: "zoë", membus_user: "ada" } })).toEqual(knows);
    expect(await say({ "x-membus-agent": "zoë" }, ASKED, { user: "ada" })).toEqual(knows);
    expect(await say({ "x-membus-agent": "zoë" }, ASKED, { user: "bob" })).toEqual(knowsNot);
    expect(await say({ ...ada, "x-membus-agent": "other" }, ASKED)).toEqual(knowsNot);
  });

  it("is recalled for chat completions, too", async () => {
    const headers = { "x-membus-agent": "two-apis" };
    await say(headers, TOLD);
    const messages = [{ role: "user" as const, content: ASKED }];
    const { choices } = await fixture
      .client(headers)
      .chat.completions.create({ model: "scripted", messages });
    expect(choices[0]!.message.content).toBe("You live in Lisbon.");
  });

  it("is neither recalled nor stored in mode off", async () => {
    expect(await say({ "x-membus-agent": "off", "x-membus-mode": "off" }, TOLD)).toEqual([
      "You did not say.",
      "off",
    ]);
    expect(await factsOf("off")).toEqual([]);
  });
});

describe("a turn", () => {
  it("is recorded with the messages since the last answer, in its conversation", async () => {
    const headers = { "x-membus-agent": "turns", "x-membus-conversation": "c1" };
    await say(headers, [
      { role: "developer", content: "Be brief" },
      { role: "user", content: "Before" },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "Porto" },
      { type: "message", role: "user", content: [{ type: "input_text", text: TOLD }] },
    ]);
    expect(await factsOf("turns")).toEqual([TOLD, "You did not say."]);
    const client = await MemoryClient.connect({ bus: await fixture.bus(), agent: "turns" });
    const conversation = await openConversation(client, { id: "c1" });
    expect((await conversation.get()).map(({ message }) => [message.role, message.content])).toEqual([
      ["user", TOLD],
      ["assistant", "You did not say."],
    ]);
  });

  it("is recorded from the new input of a response that continues another", async () => {
    await say({ "x-membus-agent": "behind" }, TOLD, { previous_response_id: "resp_1" });
    expect(fixture.model.requests.at(-1)!.body).toMatchObject({
      previous_response_id: "resp_1",
      input: TOLD,
    });
    expect(await factsOf("behind")).toEqual([TOLD, "You did not say."]);
  });

  it("is recalled for the question before a tool result", async () => {
    const headers = { "x-membus-agent": "tools" };
    await say(headers, TOLD);
    const client = fixture.client(headers);
    const { id } = await client.responses.create({ model: "scripted", input: ASKED });
    const output = { type: "function_call_output" as const, call_id: "c", output: "rain" };
    const then = await client.responses.create({
      model: "scripted",
      input: [output],
      previous_response_id: id,
    });
    expect(then.output_text).toBe("You live in Lisbon.");
    const again = { "x-membus-user": "bob", ...headers };
    expect(await say(again, [output], { previous_response_id: then.id })).toEqual([
      "You did not say.",
      "attached",
    ]);
    expect(await say(headers, [output], { previous_response_id: then.id })).toEqual([
      "You live in Lisbon.",
      "attached",
    ]);
  });

  it("is passed on and not recorded if the model server fails", async () => {
    const failing = await fixture.gateway({
      openai: { upstream: `${fixture.model.baseUrl}/nowhere`, agent: "failing" },
    });
    const answer = await fetch(`${failing.url}/v1/responses`, {
      method: "POST",
      body: JSON.stringify({ model: "scripted", input: TOLD }),
    });
    expect([answer.status, answer.headers.get("x-membus-memory")]).toEqual([404, "attached"]);
    expect(await answer.json()).toMatchObject({ error: { type: "scripted_error" } });
    expect(await factsOf("failing")).toEqual([]);
  });

  it("is not recorded if the response is incomplete or runs in the background", async () => {
    const upstream = await RawUpstream.start();
    const gateway = await fixture.gateway({ openai: { upstream: upstream.baseUrl, agent: "unended" } });
    for (const status of ["failed", "queued", "cancelled"]) {
      const answered = JSON.stringify({ id: "r", object: "response", status, output: [] });
      upstream.answer = (response) => response.end(answered);
      const body = JSON.stringify({ input: TOLD, background: true });
      const answer = await fetch(`${gateway.url}/v1/responses`, { method: "POST", body });
      expect(await answer.text()).toBe(answered);
    }
    await upstream.stop();
    expect(await factsOf("unended")).toEqual([]);
  });
});

describe("the request", () => {
  const answered =
    '{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"city Lisbon"}]}]}';

  it.each([
    [
      "without instructions",
      '{ "input":"city?" , "é":"\\ud83d", "n":12345678901234567890}',
      "8901234567890",
      "",
    ],
    ["with instructions", '{"instructions" : "Be\\u0020brief", "input":"city?"}', "brief", ""],
    [
      "with null instructions",
      '{"instructions":null,"input":[{"role":"user","content":"city?"}]}',
      '"instructions":',
      "null",
    ],
    [
      "with empty instructions",
      '{"instructions":"","input":[{"role":"user","content":"city?"}]}',
      '"instructions":"',
      "",
    ],
  ])("%s is changed only by the recalled memories", async (_, body, mark, replaced) => {
    const upstream = await RawUpstream.start((response) => response.end(answered));
    const gateway = await fixture.gateway({ openai: { upstream: upstream.baseUrl, agent: "bytes" } });
    const post = () =>
      fetch(`${gateway.url}/v1/responses`, { method: "POST", body }).then((answer) => answer.text());
    expect([await post(), await post()]).toEqual([answered, answered]);
    const sent = upstream.requests.at(-1)!.body.toString("utf8");
    const at = body.indexOf(mark) + mark.length;
    const rest = body.slice(at + replaced.length);
    expect([sent.slice(0, at), sent.slice(sent.length - rest.length)]).toEqual([body.slice(0, at), rest]);
    expect(JSON.parse(sent).instructions).toContain("city Lisbon");
    await upstream.stop();
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["with another input", '{"input":7}'],
    ["with invalid items", '{"input":[1]}'],
    ["very deep", "[".repeat(200_000)],
    ["without input", '{"prompt":{"id":"p"}}'],
    ["with invalid instructions", '{"input":"city?","instructions":7}'],
  ])("that is %s is passed on unchanged", async (_, body) => {
    const upstream = await RawUpstream.start();
    const gateway = await fixture.gateway({ openai: { upstream: upstream.baseUrl, agent: "bytes" } });
    await fetch(`${gateway.url}/v1/responses`, { method: "POST", body });
    expect(upstream.requests[0]!.body.toString()).toBe(body);
    await upstream.stop();
  });
});

describe("a stored response", () => {
  it("is read, deleted and cancelled at the model server", async () => {
    const upstream = await RawUpstream.start((response, { method, url: path }) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ id: "resp_1", object: "response", output: [], ASKED: `${method} ${path}` }),
      );
    });
    const gateway = await fixture.gateway({
      openai: { upstream: upstream.baseUrl, requestsBytesMax: 1_024 },
    });
    const { responses, conversations } = new OpenAI({ apiKey: "sk", baseURL: `${gateway.url}/v1` });
    await responses.retrieve("resp_1", { include: ["reasoning.encrypted_content"] });
    await responses.delete("resp_1");
    await responses.cancel("resp_1");
    await responses.compact({ model: "m", previous_response_id: "resp_1" });
    await responses.inputTokens.count({ input: TOLD });
    await responses.inputItems.list("resp_1");
    await conversations.create({ items: [] });
    await conversations.retrieve("conv_1");
    await conversations.delete("conv_1");
    expect(upstream.requests.map((request) => `${request.method} ${request.url}`)).toEqual([
      "GET /v1/responses/resp_1?include%5B%5D=reasoning.encrypted_content",
      "DELETE /v1/responses/resp_1",
      "POST /v1/responses/resp_1/cancel",
      "POST /v1/responses/compact",
      "POST /v1/responses/input_tokens",
      "GET /v1/responses/resp_1/input_items",
      "POST /v1/conversations",
      "GET /v1/conversations/conv_1",
      "DELETE /v1/conversations/conv_1",
    ]);
    await upstream.stop();
  });
});

describe("without a host", () => {
  it("answers without memory, and reports it", async () => {
    const lonely = new GatewayFixture({ hasOwnHost: true });
    await lonely.start();
    const gateway = await lonely.gateway({
      openai: { upstream: fixture.model.baseUrl, memoryTimeoutMs: 300 },
    });
    await lonely.stopHost();
    for (const stream of [false, true]) {
      const body = JSON.stringify({ model: "scripted", stream, input: ASKED });
      const answer = await fetch(`${gateway.url}/v1/responses`, { method: "POST", body });
      expect([answer.status, answer.headers.get("x-membus-memory")]).toEqual([200, "unavailable"]);
      expect(await answer.text()).toContain("You did not say.");
    }
    await lonely.stop();
  });
});
