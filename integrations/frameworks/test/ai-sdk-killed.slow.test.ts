import { LongTermMemory } from "@membus/agentic";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { killRepeatedly } from "../../../cli/test/crash/kill-repeatedly.js";
import { membusMiddleware } from "../src/ai-sdk/index.js";

const KILLS = 5;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

/** Returns a model that answers with the number of its call. */
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

it("continues while the host is killed repeatedly, and records every turn", async () => {
  const client = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const memory = new LongTermMemory(client, { subject: "user:ada" });
  const middleware = membusMiddleware(memory, { wait: true, onError: "throw" });
  const model = wrapLanguageModel({ model: counting(), middleware });
  let isKilling = true;
  let turns = 0;
  const talking = (async () => {
    for (; isKilling; turns++) await generateText({ model, prompt: `question ${turns}`, maxRetries: 0 });
  })();
  await killRepeatedly(stage, { kills: KILLS, completed: () => turns, calls: talking });
  isKilling = false;
  await talking;
  const kept: string[] = [];
  for await (const { text } of memory.entries()) kept.push(text);
  const texts = Array.from({ length: turns }, (_, n) => [`answer ${n}`, `question ${n}`]).flat();
  expect(kept.sort()).toEqual(texts.sort());
});
