import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RawGateway } from "./raw-gateway.js";
import { blockOf, eventsOf, type ScriptedItem } from "./response-events.js";

/** Timeout for a busy machine. */
const PATIENT = { timeout: 60_000 };
const fixture = new RawGateway();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());
beforeEach(() => {
  fixture.upstream.requests.length = 0;
});

const look = { call: "retrieve_from_memory", arguments: { thinking: "asked", keywords: ["Where"] } };
const forecast = { call: "weather_in", arguments: { city: "Lisbon" } };
const textOf = (response: string, items: readonly ScriptedItem[]) =>
  eventsOf(response, items, []).map(blockOf).join("");

const gatewayOf = (agent: string, mode: "static" | "agent" = "static") =>
  fixture.gateway({ openai: { upstream: fixture.upstream.baseUrl, agent, mode } });

const ask = (url: string, input: string, signal: AbortSignal | null = null) =>
  fetch(`${url}/v1/responses`, {
    method: "POST",
    signal,
    body: JSON.stringify({ model: "m", stream: true, input }),
  });

/** The texts of the model's answers, in order. */
function play(...answers: readonly string[]): void {
  let next = 0;
  fixture.upstream.answer = (response) => {
    response.setHeader("content-type", "text/event-stream");
    response.end(answers[next++]);
  };
}

type ShownEvent = OpenAI.Responses.ResponseStreamEvent;

async function shownBy(url: string): Promise<ShownEvent[]> {
  const client = new OpenAI({ apiKey: "sk", baseURL: `${url}/v1`, maxRetries: 0 });
  const events = [];
  for await (const event of client.responses.stream({ model: "m", input: "Hello" })) events.push(event);
  return events;
}

/** Returns the type of each event with the index of its item. */
const outlineOf = (events: readonly ShownEvent[]) =>
  events
    .filter(({ type }) => !type.endsWith(".delta") && !type.includes("_part."))
    .map((event) => ("output_index" in event ? `${event.type} ${event.output_index}` : event.type));
const numbersOf = (events: readonly ShownEvent[]) => events.map((event) => event.sequence_number);
const countingTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a stream of events", () => {
  it.each(["static", "agent"] as const)("is passed on byte by byte in mode %s", async (mode) => {
    const { url } = await gatewayOf(`bytes-${mode}`, mode);
    const events = textOf("r1", [{ thought: "hm" }, { text: "zoë ☕" }, forecast]);
    const bytes = `: hello\r\n\r\n${events}event: later\ndata: {"type":"later","x":12345678901234567890}\n\n`;
    fixture.upstream.answer = (response) => {
      response.setHeader("content-type", "text/event-stream");
      for (const byte of Buffer.from(bytes)) response.write(Buffer.of(byte));
      response.end();
    };
    expect(await (await ask(url, "Hello")).text()).toBe(bytes);
  });

  it("begins before it ends, and is recorded at its end, not if it was cut or abandoned", async () => {
    const { url, gateway } = await gatewayOf("recorded");
    const whole = textOf("r1", [{ text: "A city" }]);
    const part = whole.slice(0, whole.indexOf("response.output_text.done"));
    fixture.upstream.answer = (response) => {
      response.setHeader("content-type", "text/event-stream");
      response.write(part, () => response.destroy());
    };
    await expect(ask(url, "One city").then((answer) => answer.text())).rejects.toThrow();
    fixture.upstream.answer = (response) => {
      response.setHeader("content-type", "text/event-stream");
      response.write(part);
    };
    const client = new AbortController();
    const left = await ask(url, "Two city", client.signal);
    await left.body!.getReader().read();
    const { abortCount } = fixture.upstream;
    client.abort();
    await expect.poll(() => fixture.upstream.abortCount, PATIENT).toBe(abortCount + 1);
    play(whole, whole);
    for (const isKnown of [false, true]) {
      expect(await (await ask(url, "Three city")).text()).toBe(whole);
      const sent = fixture.upstream.requests.at(-1)!.body.toString();
      expect(sent.includes("recalled-memories")).toBe(isKnown);
    }
    expect(gateway.modelRequestCount).toBe(0);
  });

  it("may repeat a large request in its events", async () => {
    const { url } = await gatewayOf("large", "agent");
    const tools = [{ type: "function", name: "weather_in", description: "x".repeat(200_000) }];
    const text = eventsOf("r1", [{ text: "Hi" }], tools)
      .map(blockOf)
      .join("");
    play(text);
    const body = JSON.stringify({ model: "m", stream: true, input: "Hello", tools });
    const answer = await fetch(`${url}/v1/responses`, { method: "POST", body });
    expect(await answer.text()).toBe(text);
  });
});

describe("the events of several rounds", () => {
  it("are the events of the last round if the model calls memory first", async () => {
    const { url } = await gatewayOf("first", "agent");
    play(textOf("r1", [{ thought: "hm" }, look]), textOf("r2", [{ text: "In Lisbon" }]));
    expect(await (await ask(url, "Where?")).text()).toBe(textOf("r2", [{ text: "In Lisbon" }]));
  });

  it("are one response if the model sends text before it calls memory", async () => {
    const { url } = await gatewayOf("between", "agent");
    play(
      textOf("r1", [{ text: "Let me see" }, look]),
      textOf("r2", [{ thought: "hm" }, look, look]),
      textOf("r3", [{ text: "In Lisbon" }]),
    );
    const events = await shownBy(url);
    expect(outlineOf(events)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added 0",
      "response.output_text.done 0",
      "response.output_item.done 0",
      "response.output_item.added 1",
      "response.output_item.done 1",
      "response.output_item.added 2",
      "response.output_text.done 2",
      "response.output_item.done 2",
      "response.completed",
    ]);
    expect(numbersOf(events)).toEqual(countingTo(events.length));
    const { response } = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
    expect([response.id, response.output.map(({ id }) => id)]).toEqual([
      "r1",
      ["msg_r1_0", "rs_r2_0", "msg_r3_0"],
    ]);
    play(textOf("r4", [{ text: "Yes" }]));
    const client = new OpenAI({ apiKey: "sk", baseURL: `${url}/v1` });
    await client.responses.stream({ model: "m", input: "Sure?", previous_response_id: "r1" }).finalResponse();
    const { previous_response_id, input } = JSON.parse(fixture.upstream.requests.at(-1)!.body.toString());
    expect([previous_response_id, input]).toEqual(["r3", "Sure?"]);
  });

  it("keep the order of the application's calls without memory calls", async () => {
    const { url } = await gatewayOf("mixed", "agent");
    play(textOf("r1", [look, forecast, look, forecast]));
    const events = await shownBy(url);
    expect(outlineOf(events).filter((line) => line.includes("output_item"))).toEqual([
      "response.output_item.added 0",
      "response.output_item.done 0",
      "response.output_item.added 1",
      "response.output_item.done 1",
    ]);
    expect(numbersOf(events)).toEqual(countingTo(events.length));
    const { response } = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
    expect(response.output.map(({ id }) => id)).toEqual(["fc_r1_1", "fc_r1_3"]);
  });

  it("are cut if the last round is cut, and end if it ends early", async () => {
    const { url, gateway } = await gatewayOf("cut", "agent");
    const whole = textOf("r2", [{ text: "In Lisbon" }]);
    fixture.upstream.answer = (response) => {
      response.setHeader("content-type", "text/event-stream");
      if (fixture.upstream.requests.length === 1) response.end(textOf("r1", [look]));
      else response.write(whole.slice(0, -100), () => response.destroy());
    };
    await expect(ask(url, "Where?").then((answer) => answer.text())).rejects.toThrow();
    const begun = whole.slice(0, whole.indexOf("event: response.output_item.added"));
    play(begun);
    expect(await (await ask(url, "Where?")).text()).toBe(begun);
    await expect.poll(() => gateway.modelRequestCount, PATIENT).toBe(0);
  });
});
