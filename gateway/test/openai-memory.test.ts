import { MemoryClient } from "@membus/agent-client";
import { LongTermMemory, openConversation } from "@membus/agentic";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayFixture } from "./gateway-fixture.js";
import { askFromProcess } from "./openai-client-process.js";
import { RawUpstream } from "./raw-upstream.js";
import { ASKED, RememberingGateway, TOLD } from "./remembering-gateway.js";
import { systemOf } from "./remembering-model.js";

const fixture = new RememberingGateway();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

async function say(
  client: OpenAI,
  content: string,
  rest: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<string | null> {
  const messages = [{ role: "user" as const, content }];
  const { choices } = await client.chat.completions.create({ model: "scripted", messages, ...rest });
  return choices[0]!.message.content;
}

async function longTermOf(agent: string, user: string): Promise<LongTermMemory> {
  const client = await MemoryClient.connect({ bus: await fixture.bus(), agent });
  return new LongTermMemory(client, { subject: `user:${user}` });
}

describe("a remembered fact", () => {
  it.each([
    ["chat", "plain", false],
    ["chat", "streamed", true],
    ["responses", "plain", false],
    ["responses", "streamed", true],
  ] as const)("is used by another process, %s %s, that only knows the base URL", async (api, how, stream) => {
    const agent = `program-${api}-${how}`;
    const gateway = await fixture.gateway({ openai: { upstream: fixture.model.baseUrl, agent } });
    expect(await askFromProcess(gateway.url, api, ASKED, stream)).toBe("You did not say.");
    await askFromProcess(gateway.url, api, TOLD, stream);
    expect(await askFromProcess(gateway.url, api, ASKED, stream)).toBe("You live in Lisbon.");
  });

  it("belongs to the user and agent of headers, metadata or `user`", async () => {
    const ada = { "x-membus-agent": "zoë", "x-membus-user": "ada" };
    await say(fixture.client(ada), TOLD);
    expect(await say(fixture.client(ada), ASKED)).toBe("You live in Lisbon.");
    const metadata = { membus_agent: "zoë", membus_user: "ada" };
    expect(await say(fixture.client(), ASKED, { metadata })).toBe("You live in Lisbon.");
    expect(await say(fixture.client({ "x-membus-agent": "zoë" }), ASKED, { user: "ada" })).toBe(
      "You live in Lisbon.",
    );
    expect(await say(fixture.client({ "x-membus-agent": "zoë" }), ASKED, { user: "bob" })).toBe(
      "You did not say.",
    );
    expect(await say(fixture.client({ ...ada, "x-membus-agent": "other" }), ASKED)).toBe("You did not say.");
    const long = { user: "u".repeat(100) };
    await say(fixture.client(), TOLD, long);
    expect(await say(fixture.client(), ASKED, long)).toBe("You live in Lisbon.");
    expect(await say(fixture.client(), ASKED, { user: "u".repeat(101) })).toBe("You did not say.");
  });

  it("is neither recalled nor stored in mode off", async () => {
    const off = { "x-membus-agent": "off", "x-membus-mode": "off" };
    const { data, response } = await fixture
      .client(off)
      .chat.completions.create({ model: "scripted", messages: [{ role: "user", content: TOLD }] })
      .withResponse();
    expect([response.headers.get("x-membus-memory"), data.choices[0]!.message.content]).toEqual([
      "off",
      "You did not say.",
    ]);
    expect((await (await longTermOf("off", "default")).sizes()).fact).toBe(0);
  });
});

describe("a turn", () => {
  it("is recorded once, with the messages since the last answer, in its conversation", async () => {
    const headers = { "x-membus-agent": "turns", "x-membus-conversation": "c1" };
    const messages = [
      { role: "system" as const, content: "Be brief" },
      { role: "user" as const, content: "Before" },
      { role: "assistant" as const, content: "Old answer" },
      { role: "user" as const, content: [{ type: "text" as const, text: TOLD }] },
    ];
    const { response } = await fixture
      .client(headers)
      .chat.completions.create({ model: "scripted", messages })
      .withResponse();
    expect(response.headers.get("x-membus-memory")).toBe("attached");
    const memory = await longTermOf("turns", "default");
    const facts = [];
    for await (const { text } of memory.entries()) facts.push(text);
    expect(facts.toSorted()).toEqual([TOLD, "You did not say."]);
    const client = await MemoryClient.connect({ bus: await fixture.bus(), agent: "turns" });
    const conversation = await openConversation(client, { id: "c1" });
    expect((await conversation.get()).map(({ message }) => [message.role, message.content])).toEqual([
      ["user", TOLD],
      ["assistant", "You did not say."],
    ]);
  });

  it("is passed on and not recorded if the model server fails", async () => {
    const before = fixture.model.requests.length;
    const failing = await fixture.gateway({ openai: { upstream: `${fixture.model.baseUrl}/nowhere` } });
    const answer = await fetch(`${failing.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-membus-agent": "failing" },
      body: JSON.stringify({ model: "scripted", messages: [{ role: "user", content: TOLD }] }),
    });
    expect([answer.status, answer.headers.get("x-membus-memory")]).toEqual([404, "attached"]);
    expect(await answer.json()).toMatchObject({ error: { type: "scripted_error" } });
    expect([
      fixture.model.requests.length,
      (await (await longTermOf("failing", "default")).sizes()).fact,
    ]).toEqual([before, 0]);
  });

  it.each([
    ["Mode", "sometimes"],
    ["Agent", "a".repeat(500)],
    ["Conversation", "c".repeat(200)],
  ])("with an invalid %s is rejected", async (field, value) => {
    await expect(say(fixture.client({ [`x-membus-${field}`]: value }), ASKED)).rejects.toThrow(
      `400 X-Membus-${field}`,
    );
  });
});

describe("the request", () => {
  const completion =
    '{"choices":[{"index":0,"message":{"content":"You live in Lisbon"},"finish_reason":"stop"}]}';

  it.each([
    ["without a system message", '{"messages":[{"role":"user","content":"city Lisbon?"}] }', '"messages":['],
    [
      "with unusual spelling",
      '{ "n":1.0,\n"messages" : [ {"content":"Be\\u0020brief","x":12345678901234567890,"role":"system"},',
      "brief",
    ],
    [
      "with parts",
      '{"messages":[{"role":"developer","content":[{"type":"text","text":"a"}]},',
      '"text":"a"}',
    ],
    ["with no parts", '{"messages":[{"role":"system","content":[]},', '"content":['],
    [
      "with 100,000 nested arrays",
      `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},"messages":[{"role":"system","content":"Be brief"},`,
      "brief",
    ],
    ["with nothing in its system message", '{"messages":[{"role":"system","content":null},', '"messages":['],
  ])("%s is changed only by the recalled memories", async (_, head, mark) => {
    const upstream = await RawUpstream.start((response) => response.end(completion));
    const gateway = await fixture.gateway({ openai: { upstream: upstream.baseUrl, agent: "bytes" } });
    const body = head.endsWith(",")
      ? `${head}{"role":"user","content":"city Lisbon?"}], "é":"\\ud83d"}`
      : head;
    const post = () =>
      fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body }).then((answer) => answer.text());
    expect([await post(), await post()]).toEqual([completion, completion]);
    const sent = upstream.requests.at(-1)!.body.toString("utf8");
    const at = body.indexOf(mark) + mark.length;
    const added = sent.slice(at, at + sent.length - body.length);
    expect([sent.slice(0, at), sent.slice(at + added.length)]).toEqual([body.slice(0, at), body.slice(at)]);
    expect(added).toContain("Lisbon");
    expect(systemOf({ body: JSON.parse(sent.replace("developer", "system")) })).toBeTruthy();
    await upstream.stop();
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["without messages", '{"messages":"x"}'],
    ["with items that are no messages", '{"messages":[1]}'],
    ["very deep", "[".repeat(200_000)],
  ])("that is %s is passed on unchanged", async (_, body) => {
    const upstream = await RawUpstream.start();
    const gateway = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body });
    expect(upstream.requests[0]!.body.toString()).toBe(body);
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
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "scripted", stream, messages: [{ role: "user", content: ASKED }] }),
      });
      expect([answer.status, answer.headers.get("x-membus-memory")]).toEqual([200, "unavailable"]);
      expect((await answer.text()).length).toBeGreaterThan(0);
    }
    await lonely.stop();
  });
});
