import type { ServerResponse } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway, GatewayOptions } from "../src/index.js";
import { RawGateway } from "./raw-gateway.js";

const STREAMS = 200;
/** Timeout for a busy machine. */
const PATIENT = { timeout: 60_000 };
const fixture = new RawGateway();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const delta = (content: string, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
}

const gatewayOf = (rest: Partial<NonNullable<GatewayOptions["openai"]>> = {}) =>
  fixture.gateway({ openai: { upstream: fixture.upstream.baseUrl, ...rest } });

const ask = (url: string, question: string, signal: AbortSignal | null = null) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    signal,
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: question }] }),
  });

async function nothingIsLeft(gateway: Gateway): Promise<void> {
  await expect.poll(() => gateway.modelRequestCount, PATIENT).toBe(0);
}

describe("a stream", () => {
  it("is passed on byte by byte as it arrives", async () => {
    const { url, gateway } = await gatewayOf({ agent: "pieces" });
    const bytes = Buffer.from(
      `: hello\r\n\r\nevent: x\r\n${delta("zoë ☕")}${delta("", "stop")}data: [DONE]\n\n`,
    );
    let next = () => {};
    fixture.upstream.answer = (response) => {
      open(response);
      let at = 0;
      next = () => {
        if (at < bytes.length) response.write(bytes.subarray(at, ++at));
        else response.end();
      };
      next();
    };
    const answer = await ask(url, "Hello");
    const received: Buffer[] = [];
    for await (const piece of answer.body!) {
      received.push(Buffer.from(piece));
      for (const _ of piece) next();
      if (Buffer.concat(received).length === bytes.length) next();
    }
    expect(Buffer.concat(received)).toEqual(bytes);
    await nothingIsLeft(gateway);
  });

  it("is recorded at its end, and not if it was cut or the client left", async () => {
    const { url, gateway } = await gatewayOf({ agent: "recorded" });
    fixture.upstream.answer = (response) => {
      open(response);
      response.write(delta("Lisbon, cut"), () => response.destroy());
    };
    await expect(ask(url, "One city").then((answer) => answer.text())).rejects.toThrow();
    fixture.upstream.answer = (response) => {
      open(response);
      response.write(delta("Lisbon, left"));
    };
    const client = new AbortController();
    const left = await ask(url, "Two city", client.signal);
    await left.body!.getReader().read();
    const abortCount = fixture.upstream.abortCount;
    client.abort();
    await expect.poll(() => fixture.upstream.abortCount, PATIENT).toBe(abortCount + 1);
    fixture.upstream.answer = (response, { body }) => {
      open(response);
      response.end(delta(body.toString().includes("recalled-memories") ? "yes" : "no", "stop"));
    };
    expect(await (await ask(url, "Three city")).text()).toContain('"no"');
    expect(await (await ask(url, "Three city")).text()).toContain('"yes"');
    await nothingIsLeft(gateway);
  });

  it("is cut if its server is silent, and passed on but not kept if it is too long", async () => {
    const { url, gateway } = await gatewayOf({ upstreamTimeoutMs: 300, answerBytesMax: 1_024 });
    fixture.upstream.answer = (response) => {
      open(response);
      response.write(delta("and then"));
    };
    await expect(ask(url, "Silent").then((answer) => answer.text())).rejects.toThrow();
    const long = `data: ${"x".repeat(100_000)}`;
    fixture.upstream.answer = (response) => {
      open(response);
      response.end(long);
    };
    expect(await (await ask(url, "Long")).text()).toBe(long);
    await nothingIsLeft(gateway);
  });
});

describe(`${STREAMS} streams at once`, () => {
  it("leave nothing behind if they stall, fail, are cut or abandoned, and do not affect others", async () => {
    const { url, gateway } = await gatewayOf({ agent: "crowd", requestCountMax: STREAMS });
    const kinds = ["well", "stalled", "failed", "cut", "left"] as const;
    fixture.upstream.answer = (response, { body }) => {
      const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
      const kind = messages.at(-1)!.content.split(" ")[0]!;
      if (kind === "failed") {
        response.writeHead(503, { "content-type": "application/json" });
        response.end('{"error":{"message":"busy","code":"busy"}}');
        return;
      }
      open(response);
      const cut = () => response.destroy();
      if (kind === "cut") response.write(delta("cut"), cut);
      else if (kind === "well") response.end(`${delta("well", "stop")}data: [DONE]\n\n`);
      else response.write(delta(kind));
    };
    const client = new OpenAI({ apiKey: "sk", baseURL: `${url}/v1`, maxRetries: 0 });
    const outcome = async (kind: (typeof kinds)[number], n: number) => {
      const stop = new AbortController();
      try {
        const content = `${kind} stream ${n}`;
        const request = { model: "m", stream: true as const, messages: [{ role: "user" as const, content }] };
        let text = "";
        for await (const { choices } of await client.chat.completions.create(request, {
          signal: stop.signal,
        })) {
          text += choices[0]!.delta.content;
          if (kind === "left" || kind === "stalled") stop.abort();
        }
        return stop.signal.aborted ? `${text}, aborted` : text;
      } catch (error) {
        return error instanceof OpenAI.APIError && error.status !== undefined ? error.status : "broken";
      }
    };
    const all = await Promise.all(
      Array.from({ length: STREAMS }, (_, n) => outcome(kinds[n % kinds.length]!, n)),
    );
    const counts = Object.fromEntries(all.map((one) => [one, all.filter((other) => other === one).length]));
    expect(counts).toEqual({ well: 40, "stalled, aborted": 40, 503: 40, broken: 40, "left, aborted": 40 });
    await nothingIsLeft(gateway);
    await gateway.stop();
  });
});
