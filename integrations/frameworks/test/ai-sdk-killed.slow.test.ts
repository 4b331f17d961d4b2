import { randomInt } from "node:crypto";
import { LongTermMemory } from "@membus/agentic";
import { delay, systemClock } from "@membus/protocol";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { membusMiddleware } from "../src/ai-sdk/index.js";

const KILLS = 8;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

/** Answers with the number of its call. */
function counting(): MockLanguageModelV3 {
  let n = 0;
  return new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: "text", text: `answer ${n++}` }],
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  });
}

it("turns go on while the host is killed again and again, and what was said in each is kept", async () => {
  const client = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const memory = new LongTermMemory(client, { subject: "user:ada" });
  const middleware = membusMiddleware(memory, { wait: true, onError: "throw" });
  const model = wrapLanguageModel({ model: counting(), middleware });
  let isKilling = true;
  const talking = (async () => {
    let n = 0;
    for (; isKilling; n++) await generateText({ model, prompt: `question ${n}`, maxRetries: 0 });
    return n;
  })();
  for (let kill = 0; kill < KILLS; kill++) {
    await delay(systemClock, randomInt(50, 400));
    await stage.killHost();
    await stage.startHost();
  }
  isKilling = false;
  const turns = await talking;
  const kept: string[] = [];
  for await (const { text } of memory.entries()) kept.push(text);
  const said = Array.from({ length: turns }, (_, n) => [`answer ${n}`, `question ${n}`]).flat();
  expect(kept.sort()).toEqual(said.sort());
});
