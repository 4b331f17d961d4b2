import { describe, expect, it } from "vitest";
import { type Learner, openConversation } from "../src/index.js";
import type { SetAsideMessage } from "../src/learner/index.js";
import { literal, messageTexts, openLearning, say } from "./learner-fixture.js";
import { factTexts, foundFacts, openLongTerm, requestOf } from "./long-term-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "./scripted-openai/index.js";

const isPoisoned = (request: ReceivedChat) => messageTexts(request).some((text) => text.includes("poison"));

/** Words each fact differently for each request, so that repeated learning is detected. */
function poisonedBy(answer: ScriptedAnswer) {
  let received = 0;
  return (request: ReceivedChat): ScriptedAnswer => {
    if (isPoisoned(request)) return answer;
    if (requestOf(request).name !== "facts") return literal(request);
    const texts = messageTexts(request).map((text) => `${text}, telling ${++received}`);
    return { json: { facts: texts.map((text, n) => ({ text, message: n + 1, category: null })) } };
  };
}

const textsOf = (count: number, ...poisoned: readonly number[]) =>
  Array.from({ length: count }, (_, n) => `Box ${n} is ${poisoned.includes(n) ? "poison" : "heavy"}`);

async function setAsideOf(learner: Learner): Promise<SetAsideMessage[]> {
  const found: SetAsideMessage[] = [];
  for await (const one of learner.setAside()) found.push(one);
  return found;
}

async function lookUntil(learner: Learner, isDone: () => boolean): Promise<void> {
  while (!isDone()) await learner.poll();
}

describe("a message that the model never accepts", () => {
  it.each([
    ["refused", { refusal: "I cannot talk about that" }],
    ["too_large", { status: 413, message: "request entity too large" }],
    ["invalid_output", { text: "no JSON" }],
    ["invalid_request", { status: 400, message: "no such parameter" }],
  ] as const)("is set aside after %s, and all others are learned once", async (code, answer) => {
    const { memory, learner } = await openLearning(poisonedBy(answer));
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", ...textsOf(13, 4, 9));
    await say(memory, "c2", "The cat is called Tom");
    const output: SetAsideMessage[] = [];
    const one = learner(
      { faultCountMax: 2, retryMsMax: 1 },
      { onSetAside: (message) => output.push(message) },
    );
    await lookUntil(one, () => one.stats().messages === 12);
    expect(one.stats()).toMatchObject({ messages: 12, setAside: 2 });
    const facts = await factTexts(longTerm);
    const boxes = [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12].map((n) => `Box ${n} is heavy`);
    expect(facts.map((text) => text.replace(/, telling \d+$/, ""))).toEqual(
      [...boxes, "The cat is called Tom"].sort(),
    );
    const messages = await (await openConversation(memory, { id: "c1" })).get();
    const expected = [4, 9].map((n) => ({ conversation: "c1", message: messages[n]!.id, code }));
    expect(await setAsideOf(one)).toMatchObject(expected);
    expect(output).toMatchObject(expected);
    await say(memory, "c1", "Box 13 is heavy");
    expect(await one.poll()).toMatchObject({ messages: 13, setAside: 2 });
  });

  it.each([401, 429, 500])("is retried without end if the provider returns %d", async (status) => {
    const script = poisonedBy({ status, headers: { "retry-after-ms": "1" } });
    const { memory, learner } = await openLearning(script);
    await say(memory, "c1", ...textsOf(3, 1));
    const one = learner({ faultCountMax: 1, retryMs: 50, retryMsMax: 50 });
    await lookUntil(one, () => one.stats().failures >= 4);
    expect(one.stats()).toMatchObject({ messages: 0, setAside: 0 });
    expect(await setAsideOf(one)).toEqual([]);
  });

  it("is retried up to the limit before its batch is divided, and then in a batch of one", async () => {
    const { memory, server, learner } = await openLearning(poisonedBy({ refusal: "no" }));
    await say(memory, "c1", ...textsOf(4, 3));
    const one = learner({ faultCountMax: 3, retryMsMax: 1 });
    await lookUntil(one, () => one.stats().setAside === 1);
    const sizes = server.requests.filter((request) => requestOf(request).name === "facts").map(messageTexts);
    expect(sizes.map(({ length }) => length)).toEqual([4, 4, 4, 2, 2, 1, 1, 1, 1]);
  });
});

describe("a message that was set aside", () => {
  it("is retried on request, and learned once if the model accepts it now", async () => {
    let isStubborn = true;
    const poisoned = poisonedBy({ refusal: "no" });
    const { memory, learner } = await openLearning((request) =>
      isStubborn ? poisoned(request) : literal(request),
    );
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", ...textsOf(3, 0, 2));
    const one = learner({ faultCountMax: 1, retryMsMax: 1 });
    await lookUntil(one, () => one.stats().setAside === 2);

    expect(await one.retrySetAside({ conversation: "c2" })).toBe(0);
    expect(await one.retrySetAside({ conversation: "c1" })).toBe(2);
    await lookUntil(one, () => one.stats().setAside === 4);
    expect(await setAsideOf(one)).toHaveLength(2);

    isStubborn = false;
    const [first] = await setAsideOf(one);
    expect(await one.retrySetAside({ message: first!.message })).toBe(1);
    await say(memory, "c1", "Box 3 is heavy");
    const other = learner();
    await lookUntil(other, () => other.stats().messages === 2);
    expect(await setAsideOf(other)).toMatchObject([{ conversation: "c1", code: "refused" }]);
    expect(await other.retrySetAside()).toBe(1);
    expect(await other.poll()).toMatchObject({ messages: 3, setAside: 0 });
    expect(await setAsideOf(other)).toEqual([]);
    expect(await other.retrySetAside()).toBe(0);
    expect(await factTexts(longTerm)).toEqual([
      "Box 0 is poison",
      expect.stringMatching(/^Box 1 is heavy, telling \d$/),
      "Box 2 is poison",
      "Box 3 is heavy",
    ]);
  });

  it("disappears if it was forgotten concurrently", async () => {
    const { memory, learner } = await openLearning(poisonedBy({ refusal: "no" }));
    await say(memory, "c1", "poison");
    const one = learner({ faultCountMax: 1 });
    await lookUntil(one, () => one.stats().setAside === 1);
    await (await openConversation(memory, { id: "c1" })).clear();
    expect(await one.retrySetAside()).toBe(1);
    await one.poll();
    expect(await setAsideOf(one)).toEqual([]);
  });
});

describe("facts without a decision of the model", () => {
  it("are taken as new after the limit, and extracted only once", async () => {
    let extractions = 0;
    const { memory, learner } = await openLearning((request) =>
      requestOf(request).name === "facts"
        ? foundFacts(`Tom the cat is old, said ${++extractions}`)
        : { refusal: "no" },
    );
    const { longTerm } = await openLongTerm({ client: memory });
    await longTerm.record("Tom the cat is old");
    await say(memory, "c1", "Tom is old");
    const one = learner({ faultCountMax: 2, retryMsMax: 1 });
    await lookUntil(one, () => one.stats().batches === 1);
    expect([one.stats().failures, one.stats().setAside, extractions]).toEqual([2, 0, 1]);
    expect(await factTexts(longTerm)).toEqual(["Tom the cat is old", "Tom the cat is old, said 1"]);
  });
});

it("at most 64 messages of a conversation are set aside, and later ones wait", async () => {
  const { memory, learner } = await openLearning(poisonedBy({ refusal: "no" }));
  await say(memory, "c1", ...Array.from({ length: 65 }, (_, n) => `poison ${n}`), "Box 1 is heavy");
  const hourMs = 3_600_000;
  const one = learner({ faultCountMax: 1, retryMs: hourMs, retryMsMax: hourMs, batchCountMax: 1 });
  expect(await one.poll()).toMatchObject({ setAside: 64, failures: 65, messages: 0 });
  expect(await setAsideOf(one)).toHaveLength(64);
  await say(memory, "c2", "The cat is called Tom");
  expect(await one.poll()).toMatchObject({ messages: 1 });
});
