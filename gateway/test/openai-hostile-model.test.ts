import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawGateway } from "./raw-gateway.js";

const fixture = new RawGateway();
let url = "";
beforeAll(async () => {
  await fixture.start();
  ({ url } = await fixture.gateway({ openai: { upstream: fixture.upstream.baseUrl, mode: "agent" } }));
});
afterAll(() => fixture.stop());

/** One call more than an answer may have. */
const INDEXES = Array.from({ length: 1_001 }, (_, index) => index);
const NAME = "retrieve_from_memory";

const chatCalls = INDEXES.map((index) => ({
  index,
  id: `c${index}`,
  function: { name: NAME, arguments: "" },
}));
const chat = {
  whole: { choices: [{ index: 0, message: { tool_calls: chatCalls }, finish_reason: "tool_calls" }] },
  events: chatCalls.map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })),
};

const responseItems = INDEXES.map((n) => ({
  type: "function_call",
  call_id: `c${n}`,
  name: NAME,
  arguments: "{}",
}));
const responses = {
  whole: { id: "r", object: "response", status: "completed", output: responseItems },
  events: responseItems.map((item, n) => ({ type: "response.output_item.done", output_index: n, item })),
};

function ask(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

describe.each([
  ["chat/completions", { messages: [{ role: "user", content: "Hello" }] }, chat],
  ["responses", { input: "Hello" }, responses],
])("a model that floods %s with memory calls", (path, request, { whole, events }) => {
  it("gets no second round, and the client an error", async () => {
    fixture.upstream.requests.length = 0;
    fixture.upstream.answer = (response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(whole));
    };
    const response = await ask(path, { model: "m", ...request });
    expect([response.status, fixture.upstream.requests.length]).toEqual([502, 1]);
  });

  it("is disconnected while it streams", async () => {
    fixture.upstream.requests.length = 0;
    const left = fixture.upstream.abortCount;
    fixture.upstream.answer = (response) => {
      response.setHeader("content-type", "text/event-stream");
      // The server never ends the stream.
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    const response = await ask(path, { model: "m", stream: true, ...request });
    await expect(response.text()).rejects.toThrow("terminated");
    await expect.poll(() => fixture.upstream.abortCount).toBe(left + 1);
    expect(fixture.upstream.requests).toHaveLength(1);
  });
});
