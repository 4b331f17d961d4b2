import { createOpenAiEmbedder } from "@membus/embeddings";
import { afterEach, describe, expect, it } from "vitest";
import { type Answer, echo, ProviderServer } from "../../../openai-client/test/provider-server.js";
import { RateLimiter } from "../src/lifecycle/embedding/rate-limiter.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { SteppingEmbedder } from "./stepping-embedder.js";
import { TestClock } from "./test-clock.js";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let server: ProviderServer | undefined;
afterEach(() => server?.close());

const entries = Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, content: `word${at}` }));

async function filledKit(options = {}) {
  const kit = await TestKit.open({
    embedder: new ScriptedEmbedder(),
    options: { embedRetryMs: 10, ...options },
  });
  await calls(kit).store(entries);
  return kit;
}

async function providerThat(answer: Answer) {
  server = await ProviderServer.start(answer);
  const options = { baseUrl: server.baseUrl, model: "m", dimensions: 3, apiKey: "k", retryCountMax: 0 };
  return createOpenAiEmbedder(options, { clock: new TestClock(), logger: silent });
}

describe("re-embedding", () => {
  it("waits as long as the provider requests, and then continues", async () => {
    const busy: Answer = (request, attempt) =>
      attempt === 1 ? { status: 429, headers: { "retry-after": "30" }, body: {} } : echo(request, attempt);
    const embedder = await providerThat(busy);
    const kit = await filledKit();
    await kit.change({ embedder });
    await expect.poll(() => kit.plugin.stats().reindex_state).toBe("paused");
    kit.clock.advance(29);
    await settled(200);
    expect(server!.requests).toHaveLength(1);
    kit.clock.advance(1);
    await kit.reindexed();
    expect(server!.requests.slice(1).flatMap(({ body }) => body.input ?? [])).toHaveLength(100);
  });

  it("limits its rate after the first second's worth", async () => {
    const embedder = new ScriptedEmbedder("scripted-two/4", 4);
    const kit = await filledKit({ reindexRowsPerSecondMax: 10 });
    await kit.change({ embedder });
    let seconds = 0;
    for (; kit.plugin.stats().reindex_state !== "done"; seconds++) {
      await settled(100);
      kit.clock.advance(1);
    }
    expect(seconds).toBeGreaterThanOrEqual(9);
    expect(embedder.calls.flat()).toHaveLength(100);
  });

  it("lets a request that waits for the embedder go first", async () => {
    const embedder = new SteppingEmbedder("stepping/4", 4);
    const kit = await filledKit();
    await kit.change({ embedder });
    await expect.poll(() => embedder.waitingCount).toBe(1);
    const stored = calls(kit).store([{ key: "mine", content: "mine" }]);
    await expect.poll(() => embedder.waitingCount).toBe(2);
    embedder.step();
    await settled(100);
    expect(embedder.waitingCount).toBe(1);
    embedder.free();
    await stored;
    await kit.reindexed();
    expect(embedder.calls.map((texts) => texts.length)).toEqual([64, 1, 36]);
  });
});

describe("a pace", () => {
  it("allows a second's worth at once, and compensates for idle time", () => {
    const clock = new TestClock(1_000);
    const pace = new RateLimiter(clock, 10);
    expect([pace.delayAfter(5), pace.delayAfter(5), pace.delayAfter(5), pace.delayAfter(5)]).toEqual([
      0, 0, 500, 1_000,
    ]);
    clock.advance(100);
    expect([pace.delayAfter(10), pace.delayAfter(1)].map(Math.round)).toEqual([0, 100]);
  });
});
