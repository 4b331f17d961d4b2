import { randomInt } from "node:crypto";
import type { MemoryClient } from "@membus/agent-client";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { Learner, LongTermMemory, openaiChatModel } from "../../src/index.js";
import { literal, saidIn, say } from "../learner-fixture.js";
import { askedFor } from "../long-term-fixture.js";
import { type ReceivedChat, type ScriptedAnswer, ScriptedOpenAi } from "../scripted-openai/index.js";
import { LearningProcess } from "./learning-process.js";

const KILLS = 50;
const CONVERSATIONS = 100;
const MESSAGES = 3 * CONVERSATIONS;

let stage: ChaosStage;
let server: ScriptedOpenAi;
let learners: LearningProcess[];
let asked = 0;
let said = 0;

/** Finds each message to be a fact, in other words each time that it is asked: what is learned twice is there twice. */
async function script(request: ReceivedChat): Promise<ScriptedAnswer> {
  asked++;
  await delay(systemClock, randomInt(40));
  if (askedFor(request).name !== "facts") return literal(request);
  const words = `in telling ${asked}`;
  const facts = saidIn(request).map((text, n) => ({
    text: `${text} ${words}`,
    messages: [n + 1],
    category: null,
  }));
  return { json: { facts } };
}

beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
  server = await ScriptedOpenAi.start(script);
  learners = [1, 2].map(() => new LearningProcess(server.baseUrl, stage.url, stage.directory));
});

afterAll(async () => {
  await Promise.all(learners.map((learner) => learner.kill()));
  await server.stop();
  await stage.close();
});

/** Resolves when the model was asked so many more times, or there is nothing left to ask. */
async function progress(memory: MemoryClient, requests: number): Promise<void> {
  const goal = asked + requests;
  for (let look = 1; asked < goal; look++) {
    await delay(systemClock, 5);
    for (const learner of learners) learner.check();
    if (look % 100 === 0 && (await learnedCounts(memory)).size === said) return;
  }
}

const textOf = (conversation: number, message: number) => `Note ${message} of talk${conversation} is kept`;

/** Two messages into one conversation, and one more into one of before. */
async function talk(memory: MemoryClient, n: number): Promise<void> {
  const add = async (conversation: number, ...messages: readonly number[]) => {
    if (conversation < 0 || conversation >= CONVERSATIONS) return;
    await say(memory, `talk${conversation}`, ...messages.map((message) => textOf(conversation, message)));
    said += messages.length;
  };
  await add(n, 0, 1);
  await add(n - 10, 2);
}

/** Of each message, how often it was learned. */
async function learnedCounts(memory: MemoryClient): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { text } of new LongTermMemory(memory, { about: "user" }).entries()) {
    const said = text.replace(/ in telling \d+$/, "");
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  return counts;
}

it("learners that are killed again and again learn each message once, and share the work", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 60_000 });
  for (const learner of learners) learner.start();
  let talks = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < 2; n++) await talk(memory, talks++);
    await progress(memory, randomInt(1, 4));
    await delay(systemClock, randomInt(40));
    const victim = learners[randomInt(2)]!;
    await victim.kill();
    victim.start();
  }
  while (talks < CONVERSATIONS + 10) await talk(memory, talks++);
  while ((await learnedCounts(memory)).size < MESSAGES) {
    await delay(systemClock, 200);
    for (const learner of learners) learner.check();
  }
  expect(await Promise.all(learners.map((learner) => learner.stop()))).toEqual([0, 0]);

  const model = openaiChatModel({ model: "scripted", baseUrl: server.baseUrl });
  const last = new Learner(memory, { about: "user", debounceMs: 0, clockSkewMsMax: 0 }, { model });
  expect(await last.look()).toMatchObject({ failures: 0, lost: 0 });

  const counts = await learnedCounts(memory);
  expect(counts.size).toBe(MESSAGES);
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
  for (const { batches } of learners) expect(batches).toBeGreaterThan(0);
});
