import { MemoryClient } from "@membus/agent-client";
import { LongTermMemory } from "@membus/agentic";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { GatewayFixture } from "./gateway-fixture.js";
import { RawUpstream } from "./raw-upstream.js";

const fixture = new GatewayFixture();
let upstream: RawUpstream;
let url: string;
let other: string;

/** Rejects requests with more characters, and says how many it takes. */
const CONTEXT_LENGTH = 2_000;

function send(response: Parameters<RawUpstream["answer"]>[0], status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Answers like llama-server with one token per character. */
const smallContext: RawUpstream["answer"] = (response, { body }) => {
  if (body.length <= CONTEXT_LENGTH) return send(response, 200, ANSWER);
  const message = `request (${body.length} tokens) exceeds the available context size (${CONTEXT_LENGTH} tokens)`;
  send(response, 400, { error: { message, type: "exceed_context_size_error" } });
};

const ANSWER = {
  choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
};
const RESPONSE = {
  id: "r1",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] }],
};

beforeAll(async () => {
  await fixture.start();
  upstream = await RawUpstream.start(smallContext);
  ({ url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl, agent: "small" } }));
  other = (await fixture.gateway({ openai: { upstream: upstream.baseUrl, agent: "empty" } })).url;
});
afterEach(() => {
  upstream.answer = smallContext;
  upstream.requests.length = 0;
});
afterAll(async () => {
  await upstream.stop();
  await fixture.stop();
});

const post = (base: string, path: string, body: object | string, headers: Record<string, string> = {}) =>
  fetch(`${base}/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const turn = (n: number) => [
  { role: "user", content: `question ${n} ${"x".repeat(200)}` },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${n}`, function: { name: "look", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: `c${n}`, content: "found" },
  { role: "assistant", content: `answer ${n}` },
];
const long = Array.from({ length: 10 }, (_, n) => turn(n)).flat();
const system = { role: "system", content: "Be brief." };
const question = { role: "user", content: "And now?" };

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [field: string]: unknown;
}

describe("a request beyond the model's context", () => {
  it("is answered without its oldest turns, and keeps every other byte", async () => {
    const messages = [system, ...long, question];
    const rest = '"temperature": 0.10, "unknown": {"big": 12345678901234567890}';
    const answer = await post(url, "/chat/completions", `{"messages": ${JSON.stringify(messages)}, ${rest}}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(ANSWER);
    expect(upstream.requests).toHaveLength(2);
    const sent = upstream.requests[1]!.body.toString();
    expect(sent).toContain(rest);
    const { messages: kept } = JSON.parse(sent) as Sent;
    expect(kept[0]).toEqual(system);
    expect(kept[1]).toEqual(messages[messages.length - kept.length + 1]);
    expect([kept[1]!.role, kept.at(-1)]).toEqual(["user", question]);
    expect(answer.headers.get("x-membus-dropped-messages")).toBe(String(messages.length - kept.length));
    expect(answer.headers.get("x-membus-memory")).toBe("attached");
  });

  it("is shortened in the mode agent and in responses too", async () => {
    const agent = { "x-membus-mode": "agent", "x-membus-agent": "tools" };
    upstream.answer = (response, { body }) =>
      body.length > 5_000
        ? send(response, 400, { error: { message: "too long", code: "context_length_exceeded" } })
        : send(response, 200, ANSWER);
    const wide = Array.from({ length: 40 }, (_, n) => turn(n)).flat();
    const answer = await post(url, "/chat/completions", { messages: [...wide, question] }, agent);
    expect([answer.status, Number(answer.headers.get("x-membus-dropped-messages")) % 4]).toEqual([200, 0]);
    upstream.answer = (response, { body }) =>
      body.length > 2_000
        ? send(response, 400, { error: { message: "too long", code: "context_length_exceeded" } })
        : send(response, 200, RESPONSE);
    const input = long.filter(({ tool_calls, role }) => role === "user" || tool_calls === undefined);
    expect((await post(url, "/responses", { input: [...input, question] })).status).toBe(200);
  });

  it("is passed as it is, with its error, without memory or if nothing shorter fits", async () => {
    const body = { messages: [...long, question] };
    const off = await post(url, "/chat/completions", body, { "x-membus-mode": "off" });
    expect([off.status, upstream.requests.length]).toEqual([400, 1]);
    expect(upstream.requests[0]!.body.toString()).toBe(JSON.stringify(body));
    const huge = { messages: [...long, { role: "user", content: "y".repeat(5_000) }] };
    const rejected = await post(url, "/chat/completions", huge);
    expect(rejected.status).toBe(400);
    expect(await rejected.text()).toContain(`request (${upstream.requests[1]!.body.length} tokens)`);
    expect(rejected.headers.has("x-membus-dropped-messages")).toBe(false);
  });

  it("is not shortened for another error, which is passed on whatever its size", async () => {
    const message = "no such field ".repeat(10_000);
    upstream.answer = (response) => send(response, 400, { error: { message } });
    const answer = await post(url, "/chat/completions", { messages: [...long, question] });
    expect([answer.status, await answer.json()]).toEqual([400, { error: { message } }]);
    expect(upstream.requests).toHaveLength(1);
  });
});

it("does not learn from a turn without an answer", async () => {
  const empty = {
    choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
  };
  upstream.answer = (response) => send(response, 200, empty);
  await (
    await post(other, "/chat/completions", { messages: [{ role: "user", content: "I live in Rome" }] })
  ).text();
  upstream.answer = (response) => send(response, 200, { ...RESPONSE, output: [] });
  await (await post(other, "/responses", { input: "I live in Oslo" })).text();
  const client = await MemoryClient.connect({ bus: await fixture.bus(), agent: "empty" });
  const memory = new LongTermMemory(client, { subject: "user:default" });
  expect((await memory.sizes()).fact).toBe(0);
  upstream.answer = smallContext;
  await (
    await post(other, "/chat/completions", { messages: [{ role: "user", content: "I live in Lima" }] })
  ).text();
  expect((await memory.sizes()).fact).toBeGreaterThan(0);
});

it.each(["static", "both"])("reports a turn that memory cannot record in the mode %s", async (mode) => {
  const lonely = new GatewayFixture({ hasOwnHost: true });
  await lonely.start();
  const gateway = await lonely.gateway({
    openai: { upstream: upstream.baseUrl, mode: mode as "both", memoryTimeoutMs: 300 },
  });
  upstream.answer = (response) => void lonely.stopHost().then(() => send(response, 200, ANSWER));
  const answer = await post(gateway.url, "/chat/completions", { messages: [question] });
  expect([answer.status, answer.headers.get("x-membus-memory")]).toEqual([200, "unavailable"]);
  expect(await answer.json()).toEqual(ANSWER);
  await lonely.stop();
});
