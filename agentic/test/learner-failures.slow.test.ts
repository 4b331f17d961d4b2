import { MemoryError, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { type ChatModel, Learner } from "../src/index.js";
import type { StreamingChatModel } from "../src/model/index.js";
import { literal, messageTexts, openLearning, SUBJECT, say } from "./learner-fixture.js";
import { factTexts, foundFacts, openLongTerm, requestOf } from "./long-term-fixture.js";
import { startModel } from "./model-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "./scripted-openai/index.js";

describe("a learner with a failing model", () => {
  it("retries with the same messages until it succeeds", async () => {
    let isDown = true;
    const { memory, server, learner } = await openLearning((request) =>
      isDown ? { status: 401, message: "wrong key" } : literal(request),
    );
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", "The cat is called Tom");
    const warnings: object[] = [];
    const none = () => {};
    const logger = { debug: none, info: none, error: none, warn: (fields: object) => warnings.push(fields) };
    const one = learner({ retryMs: 1, retryMsMax: 1 }, { logger: logger as never });
    expect(await one.poll()).toMatchObject({ batches: 0, messages: 0, failures: 1 });
    expect(warnings[0]).toMatchObject({ conversation: "c1", code: "unauthorized", waitMs: 1 });
    isDown = false;
    await say(memory, "c1", "Rent is due on Fridays");
    server.requests.length = 0;
    while (one.stats().batches < 2) await one.poll();
    const received = server.requests
      .filter((request) => requestOf(request).name === "facts")
      .map(messageTexts);
    expect(received).toEqual([["The cat is called Tom"], ["Rent is due on Fridays"]]);
    expect(await factTexts(longTerm)).toEqual(["Rent is due on Fridays", "The cat is called Tom"]);
  });

  it("increases the delay up to its maximum", async () => {
    const { memory, server, learner } = await openLearning(() => ({ status: 401 }));
    await say(memory, "c1", "The cat is called Tom");
    const one = learner({ retryMs: 3_600_000, retryMsMax: 3_600_000 });
    expect(await one.poll()).toMatchObject({ failures: 1 });
    expect(await one.poll()).toMatchObject({ failures: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("repeats no answered question, although the model would answer differently", async () => {
    let extractions = 0;
    let decisions = 0;
    const { memory, learner } = await openLearning((request): ScriptedAnswer => {
      if (requestOf(request).name === "facts") return foundFacts(`Tom the cat is old, said ${++extractions}`);
      return ++decisions === 1 ? { status: 401 } : literal(request);
    });
    const { longTerm } = await openLongTerm({ client: memory });
    await longTerm.record("Tom the cat is old");
    await say(memory, "c1", "Tom is old");
    const one = learner();
    while (one.stats().batches === 0) await one.poll();
    expect([one.stats().failures, extractions, decisions]).toEqual([1, 1, 2]);
    expect(await factTexts(longTerm)).toEqual(["Tom the cat is old", "Tom the cat is old, said 1"]);
    const left = memory.inNamespace("learner").entries({ tier: "episodic", tags: [], order: "oldest" });
    for await (const { metadata } of left) expect(metadata?.kind).not.toBe("learner_answer");
  });

  it("repeats a question after an invalid answer", async () => {
    let received = 0;
    const { memory, learner } = await openLearning((request) =>
      ++received <= 2 ? { text: "no JSON" } : literal(request),
    );
    await say(memory, "c1", "The cat is called Tom");
    const one = learner();
    while (one.stats().batches === 0) await one.poll();
    expect(one.stats()).toMatchObject({ failures: 1, batches: 1, outcomes: { new: 1 } });
  });

  it("reports a batch that fails because of a wrong option", async () => {
    const { memory, learner } = await openLearning();
    await say(memory, "c1", "The cat is called Tom");
    const fails = () => {
      throw new MemoryError("unavailable", "no directory of users");
    };
    expect(await learner({ subject: fails, retryMs: 60_000 }).poll()).toMatchObject({
      failures: 1,
      batches: 0,
    });
  });

  it("rejects an unknown option", async () => {
    const { memory, model } = await openLearning();
    expect(() => new Learner(memory, { subject: SUBJECT, debounce: 1 } as never, { model })).toThrow(
      "unknown option `debounce` (did you mean `debounceMs`?",
    );
    expect(() => new Learner(memory, { subject: "" }, { model })).toThrow("subject must be");
    expect(() => new Learner(memory, { subject: SUBJECT, leaseMs: 1 }, { model })).toThrow("leaseMs must be");
  });
});

/** Returns a logger that collects the codes of failures. */
function codesLogged() {
  const codes: unknown[] = [];
  const none = () => {};
  const warn = ({ code }: { readonly code: unknown }) => codes.push(code);
  return { codes, logger: { debug: none, info: none, error: none, warn } as never };
}

/** Returns the same model, with answers assembled from a stream. */
function streamed(model: StreamingChatModel): ChatModel {
  return {
    async complete(request) {
      for await (const part of model.completeStream(request)) if (part.type === "reply") return part.reply;
      throw new Error("an incomplete stream");
    },
  };
}

const CALL = { calls: [{ name: "forget_everything", arguments: { all: true } }] };
const LONG = { text: JSON.stringify({ facts: [], words: "half of this arrives ".repeat(20) }) };
const AT_ONCE = { "retry-after-ms": "1" };

/**
 * The failure, the answer that causes it, the number of requests before the learner postpones the batch, and
 * the error code.
 */
const FAILURES: readonly (readonly [string, ScriptedAnswer, number, string])[] = [
  ["text", { text: "Tom is a cat." }, 2, "invalid_output"],
  ["truncated JSON", { text: '{"facts": [{"text": "Tom' }, 2, "invalid_output"],
  ["JSON of another form", { json: { facts: ["Tom"] } }, 2, "invalid_output"],
  ["calls of unknown tools", CALL, 2, "invalid_output"],
  ["an answer that is cut off", { text: '{"facts": []', finishReason: "length" }, 2, "invalid_output"],
  ["an empty answer", { text: "" }, 2, "invalid_output"],
  ["a completion without choices", { fault: "no-choices" }, 2, "invalid_output"],
  ["an invalid completion", { fault: "no-completion" }, 2, "invalid_output"],
  ["a truncated reply", { fault: "bad-json" }, 2, "invalid_output"],
  ["a refusal", { refusal: "I will not" }, 1, "refused"],
  ["429", { status: 429, headers: AT_ONCE }, 3, "rate_limited"],
  ["500", { status: 500, headers: AT_ONCE }, 3, "unavailable"],
  ["a lost connection", { ...LONG, cutAfter: 30 }, 3, "unavailable"],
  ["no connection", { fault: "reset" }, 3, "unavailable"],
];

const STREAM_FAILURES: readonly (readonly [string, ScriptedAnswer, number, string])[] = [
  ["half of a stream and a lost connection", { ...LONG, cutAfter: 3 }, 3, "unavailable"],
  ["half of a stream that ends", { ...LONG, endAfter: 3 }, 3, "unavailable"],
  ["a stream with an error in it", { fault: "error-event" }, 3, "unavailable"],
  ["a stream with calls of unknown tools", CALL, 2, "invalid_output"],
];

/** Gives the failing answer until one attempt has failed, then correct answers. */
async function learnAfter(
  answer: ScriptedAnswer,
  times: number,
  wrap: (model: StreamingChatModel) => ChatModel,
) {
  const { memory } = await openLearning();
  const { longTerm } = await openLongTerm({ client: memory });
  const script = (request: ReceivedChat, index: number) => (index < times ? answer : literal(request));
  const { model, server } = await startModel(script, { timeoutMs: 3_000 });
  await say(memory, "c1", "The cat is called Tom", "Rent is due on Fridays");
  const { codes, logger } = codesLogged();
  const options = { subject: "user:abc123", debounceMs: 0, retryMs: 3_600_000, retryMsMax: 3_600_000 };
  const first = new Learner(memory, options, { model: wrap(model), logger });
  expect(await first.poll()).toMatchObject({ failures: 1, batches: 0, setAside: 0 });
  expect(server.requests).toHaveLength(times);
  expect(await factTexts(longTerm)).toEqual([]);
  const later = { now: () => systemClock.now() + 7_200, after: systemClock.after };
  const second = new Learner(memory, options, { model: wrap(model), clock: later });
  expect(await second.poll()).toMatchObject({ failures: 0, batches: 1, messages: 2 });
  expect(await second.poll()).toMatchObject({ batches: 1 });
  expect(await factTexts(longTerm)).toEqual(["Rent is due on Fridays", "The cat is called Tom"]);
  return codes;
}

describe("a learner with a model that returns", () => {
  it.each(FAILURES)("%s writes nothing, and learns all later", async (_, answer, times, code) => {
    expect(await learnAfter(answer, times, (model) => model)).toEqual([code]);
  });

  it.each(STREAM_FAILURES)("%s writes nothing, and learns all later", async (_, answer, times, code) => {
    expect(await learnAfter(answer, times, streamed)).toEqual([code]);
  });

  it.each<[string, ScriptedAnswer]>([
    ["no reply", { fault: "no-answer" }],
    ["headers only", { fault: "stalled" }],
  ])("%s divides the batch at once, and learns its halves", async (_, answer) => {
    const { memory } = await openLearning();
    const { longTerm } = await openLongTerm({ client: memory });
    const script = (request: ReceivedChat, index: number) => (index < 1 ? answer : literal(request));
    const { model } = await startModel(script, { timeoutMs: 3_000 });
    await say(memory, "c1", "The cat is called Tom", "Rent is due on Fridays");
    const { codes, logger } = codesLogged();
    const learner = new Learner(memory, { subject: "user:abc123", debounceMs: 0 }, { model, logger });
    expect(await learner.poll()).toMatchObject({ failures: 1, batches: 2, messages: 2, setAside: 0 });
    expect(codes).toEqual(["timeout"]);
    expect(await factTexts(longTerm)).toEqual(["Rent is due on Fridays", "The cat is called Tom"]);
  });

  it("unknown ids and numbers takes the facts as new, with the lowest trust", async () => {
    const { memory, learner } = await openLearning((request) => {
      if (requestOf(request).name === "facts") {
        return { json: { facts: [{ text: "Tom the cat is old", message: 7, category: null }] } };
      }
      const decision = { news: 1, outcome: "superseded", fact: 99, text: "Everything is known" };
      return { json: { decisions: [{ ...decision, news: 5 }, decision] } };
    });
    const { longTerm } = await openLongTerm({ client: memory });
    await longTerm.record("Tom the cat is young");
    await say(memory, "c1", "Tom is old");
    expect(await learner().poll()).toMatchObject({ batches: 1, failures: 0, outcomes: { new: 1 } });
    expect(await factTexts(longTerm)).toEqual(["Tom the cat is old", "Tom the cat is young"]);
  });
});
