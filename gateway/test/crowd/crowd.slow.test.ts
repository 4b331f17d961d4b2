import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayFixture } from "../gateway-fixture.js";
import { RawUpstream } from "../raw-upstream.js";
import { answerAsFated, FATES, type Fate } from "./faulty-model.js";
import { GatewayChild } from "./gateway-child.js";

const STREAMS = 200;
const CROWDS = 2;
const HEAP_MIB_MAX = 2;
/** Timeout for a busy machine. */
const PATIENT = { timeout: 120_000 };
/** Time in which the gateway reaches the model server and memory under this load. */
const UPSTREAM_TIMEOUT_MS = 15_000;

const fixture = new GatewayFixture();
let upstream: RawUpstream;
let gateway: GatewayChild;
beforeAll(async () => {
  await fixture.start();
  upstream = await RawUpstream.start(answerAsFated);
  const openai = {
    upstream: upstream.baseUrl,
    upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
    memoryTimeoutMs: 60_000,
    requestCountMax: STREAMS,
  };
  gateway = await GatewayChild.start(fixture.natsUrl, fixture.directory, { openai });
});
afterAll(async () => {
  gateway.kill();
  await upstream.stop();
  await fixture.stop();
});

interface Stream {
  readonly api: "chat" | "responses";
  readonly mode: "static" | "both";
  readonly fate: Fate;
}

/** Returns the texts of a stream, read by the official client. */
async function* textsOf(
  { api, mode, fate }: Stream,
  message: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const defaultHeaders = { "x-fate": fate, "x-membus-mode": mode, "x-membus-agent": `crowd-${mode}` };
  const client = new OpenAI({ apiKey: "sk", baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders });
  if (api === "chat") {
    const messages = [{ role: "user" as const, content: message }];
    const chunks = await client.chat.completions.create({ model: "m", messages, stream: true }, { signal });
    for await (const { choices } of chunks) yield choices[0]!.delta.content ?? "";
  } else {
    const events = await client.responses.create({ model: "m", input: message, stream: true }, { signal });
    for await (const event of events) yield event.type === "response.output_text.delta" ? event.delta : "";
  }
}

async function outcomeOf(stream: Stream, message: string): Promise<string | number> {
  const client = new AbortController();
  let text = "";
  try {
    for await (const part of textsOf(stream, message, client.signal)) {
      text += part;
      if (stream.fate === "left") client.abort();
    }
    return client.signal.aborted ? "left" : text;
  } catch (error) {
    // Different versions of the client report an abort differently.
    if (client.signal.aborted) return "left";
    return (error instanceof OpenAI.APIError && error.status) || "broken";
  }
}

/** Number of outcomes by fate. */
async function crowd(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const one = async (_: unknown, n: number) => {
    const stream: Stream = {
      fate: FATES[n % FATES.length]!,
      api: n % 16 < 8 ? "chat" : "responses",
      mode: n % 32 < 16 ? "static" : "both",
    };
    const outcome = `${stream.fate}: ${await outcomeOf(stream, `stream ${n}`)}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: STREAMS }, one));
  return counts;
}

describe(`${STREAMS} streams at once`, () => {
  it("leave no socket, request or memory behind if the model server stalls, fails or cuts", async () => {
    const nothingIsLeft = async () => {
      await expect.poll(async () => (await gateway.look()).requestCount, PATIENT).toBe(0);
      await expect.poll(() => upstream.connectionCount(), PATIENT).toBe(0);
      return (await gateway.look()).heapBytes;
    };
    const heaps = [];
    for (let n = 0; n <= CROWDS; n++) {
      expect(await crowd()).toEqual({
        "well: well": 25,
        "silent: 504": 25,
        "stalled: broken": 25,
        "failed: 503": 25,
        "reset: 502": 25,
        "cut: broken": 25,
        "later: broken": 25,
        "left: left": 25,
      });
      heaps.push(await nothingIsLeft());
    }
    process.stderr.write(
      `heap after each crowd: ${heaps.map((bytes) => (bytes / 2 ** 20).toFixed(2))} MiB\n`,
    );
    expect((heaps.at(-1)! - heaps[0]!) / 2 ** 20).toBeLessThan(HEAP_MIB_MAX);
    const next: Stream = { fate: "well", api: "responses", mode: "static" };
    expect(await outcomeOf(next, "Which stream was it?")).toBe("well");
    expect(JSON.parse(upstream.requests.at(-1)!.body.toString()).instructions).toContain("stream");
    expect(await gateway.stop()).toBe(0);
  });
});
