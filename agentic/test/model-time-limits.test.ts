import type { Clock } from "@membus/protocol";
import { expect, it } from "vitest";
import { modelErrorOf, readStream, startModel } from "./model-fixture.js";

const HELLO = { messages: [{ role: "user" as const, content: "Hello" }] };

/** A clock that the test moves. */
class ManualClock implements Clock {
  #now = 1_000;
  readonly #timers = new Map<object, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const id = {};
    this.#timers.set(id, { at: this.#now + delayMs / 1000, run });
    return () => this.#timers.delete(id);
  }

  advance(ms: number): void {
    this.#now += ms / 1000;
    for (const [id, { at, run }] of [...this.#timers]) {
      if (at > this.#now || !this.#timers.delete(id)) continue;
      run();
    }
  }
}

/** Returns a `fetch` that sends each part of a text after `waitsMs`, and then waits without end. */
function slowFetch(clock: ManualClock, waitsMs: readonly number[]): typeof fetch {
  const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "x" } }] })}\n\n`;
  return async (_input, init) => {
    let sent = 0;
    const signal = init!.signal!;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve));
        const waitMs = waitsMs[sent++];
        if (waitMs !== undefined) clock.advance(waitMs);
        if (signal.aborted) controller.error(signal.reason);
        else if (waitMs !== undefined) controller.enqueue(new TextEncoder().encode(event));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

it.each<[string, number[], RegExp]>([
  ["the first token", [60_001], /did not answer within 60000 ms. Raise firstTokenTimeoutMs/],
  ["a pause", [59_000, 20_000, 30_001], /paused within its reply for 30000 ms. Raise pauseTimeoutMs/],
  [
    "the whole reply",
    Array<number>(12).fill(29_000),
    /did not end its reply within 300000 ms. Raise timeoutMs/,
  ],
])("limits the time of %s", async (_, waitsMs, message) => {
  const clock = new ManualClock();
  const options = { pauseTimeoutMs: 30_000, timeoutMs: 300_000 };
  const { model } = await startModel([], options, { clock, fetch: slowFetch(clock, waitsMs) });
  const error = await modelErrorOf(model.complete(HELLO));
  expect(error.code).toBe("timeout");
  expect(error.message).toMatch(message);
});

it("waits for a slow model longer than five minutes, if the options allow it", async () => {
  const clock = new ManualClock();
  const options = { firstTokenTimeoutMs: 3_600_000, timeoutMs: 7_200_000 };
  const waits = [3_599_000, 50_000, 50_000];
  const { model } = await startModel([], options, { clock, fetch: slowFetch(clock, waits) });
  const stop = new AbortController();
  let count = 0;
  const reading = (async () => {
    for await (const _ of model.completeStream({ ...HELLO, signal: stop.signal })) {
      if (++count === waits.length) stop.abort(new Error("enough"));
    }
  })();
  await expect(reading).rejects.toThrow("enough");
  expect(count).toBe(3);
});

it("does not count the time that the reader of a stream takes", async () => {
  const clock = new ManualClock();
  const { model } = await startModel([{ text: "x".repeat(200) }], { pauseTimeoutMs: 1_000 }, { clock });
  const stream = model.completeStream(HELLO);
  async function* slowly() {
    for await (const part of stream) {
      clock.advance(10_000_000);
      yield part;
    }
  }
  expect((await readStream(slowly())).parts.at(-1)).toMatchObject({ type: "reply" });
});

it("reports the tokens of the prompt if no answer came in time", async () => {
  const clock = new ManualClock();
  const { model } = await startModel([], {}, { clock, fetch: slowFetch(clock, [60_001]) });
  expect((await modelErrorOf(model.complete(HELLO))).usage).toEqual({ inputTokens: 9, outputTokens: 0 });
  const { model: unreachable } = await startModel([{ status: 503 }]);
  expect((await modelErrorOf(unreachable.complete(HELLO))).usage).toBeUndefined();
});

it("reports the tokens of a reply that timed out", async () => {
  const clock = new ManualClock();
  const { model } = await startModel([], {}, { clock, fetch: slowFetch(clock, [1, 1, 1, 1, 60_001]) });
  expect((await modelErrorOf(model.complete(HELLO))).usage).toEqual({ inputTokens: 9, outputTokens: 1 });
});
