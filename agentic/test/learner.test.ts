import { delay, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { Learner, LongTermMemory, openConversation } from "../src/index.js";
import { latch, literal, messageTexts, openLearning, SUBJECT, say } from "./learner-fixture.js";
import { factTexts, openLongTerm, requestOf } from "./long-term-fixture.js";

const TEXTS = ["The cat is called Tom", "Rent is due on Fridays", "Her sister lives in Oslo"];

describe("a learner", () => {
  it("says in one sentence that it needs a model", async () => {
    const { memory } = await openLearning();
    const message = /^a Learner needs a `model`, [^.]+`Memory.add`$/;
    expect(() => new Learner(memory, { subject: "user:a" }, {} as never)).toThrow(message);
    expect(() => new Learner(memory, { subject: "user:a" }, undefined as never)).toThrow(message);
  });

  it("learns every message of a conversation once", async () => {
    const { memory, server, learner } = await openLearning();
    const { longTerm } = await openLongTerm({ client: memory });
    const conversation = await openConversation(memory, { id: "c1", description: "You are kind." });
    await say(memory, "c1", TEXTS[0]!, TEXTS[1]!);
    await conversation.add({ role: "assistant", content: "Noted." });

    const one = learner();
    expect(await one.poll()).toMatchObject({ batches: 1, messages: 3, failures: 0 });
    await say(memory, "c1", TEXTS[2]!);
    expect(await learner().poll()).toMatchObject({ batches: 1, messages: 1 });
    expect(await one.poll()).toMatchObject({ polls: 2, batches: 1, messages: 3 });

    expect(await factTexts(longTerm)).toEqual([
      "Her sister lives in Oslo",
      "Noted.",
      "Rent is due on Fridays",
      "The cat is called Tom",
    ]);
    const received = server.requests
      .filter((request) => requestOf(request).name === "facts")
      .map(messageTexts);
    expect(received).toEqual([[TEXTS[0], TEXTS[1], "Noted."], [TEXTS[2]]]);
  });

  it("learns the whole batch that another learner with a larger limit has started", async () => {
    let isDown = true;
    const { memory, learner } = await openLearning((request) =>
      isDown ? { status: 401, message: "wrong key" } : literal(request),
    );
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", ...TEXTS);
    expect(await learner().poll()).toMatchObject({ messages: 0 });
    isDown = false;
    const other = learner({ batchCountMax: 2 });
    while (other.stats().batches === 0) await other.poll();
    expect(await factTexts(longTerm)).toEqual([...TEXTS].sort());
  });

  it("learns a message larger than an entry", async () => {
    const { memory, server, learner } = await openLearning();
    const image = { type: "image_url", image_url: { url: `data:,${"A".repeat(300_000)}` } };
    const conversation = await openConversation(memory, { id: "c1" });
    await conversation.add({ role: "user", content: [{ type: "text", text: TEXTS[0]! }, image] });
    expect(await learner().poll()).toMatchObject({ batches: 1, messages: 1, failures: 0 });
    const received = server.requests
      .filter((request) => requestOf(request).name === "facts")
      .map(messageTexts);
    expect(received).toEqual([[TEXTS[0]]]);
  });

  it("stores the conversation and the time of a fact", async () => {
    const { memory, learner } = await openLearning();
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", TEXTS[0]!);
    await learner().poll();
    const [message] = await (await openConversation(memory, { id: "c1" })).get();
    for await (const { record, occurredAt } of longTerm.entries()) {
      expect(record.metadata).toMatchObject({ conversation: "c1", from: message!.seq, to: message!.seq });
      expect(occurredAt).toBe(message!.created);
    }
    expect((await longTerm.sizes()).fact).toBe(1);
    const texts = { namespace: "conversations", group: "c1", tier: "episodic" } as const;
    await memory.forget({ ...texts, cascade: true });
    expect((await longTerm.sizes()).fact).toBe(0);
  });

  it("waits for the debounce time, up to a maximum", async () => {
    const { memory, learner } = await openLearning();
    await say(memory, "c1", TEXTS[0]!);
    expect(await learner({ debounceMs: 3_600_000 }).poll()).toMatchObject({ batches: 0 });
    expect(await learner().poll()).toMatchObject({ batches: 0 });
    expect(await learner({ debounceMs: 3_600_000 }).poll({ ignoreDebounce: true })).toMatchObject({
      batches: 1,
    });
    await say(memory, "c2", TEXTS[1]!);
    expect(await learner({ debounceMs: 3_600_000, waitMsMax: 0 }).poll()).toMatchObject({ batches: 1 });
  });

  it("limits the size of batches and keeps their order", async () => {
    const { memory, server, learner } = await openLearning();
    const texts = Array.from({ length: 7 }, (_, n) => `Box ${n} is ${"very ".repeat(10)}heavy`);
    await say(memory, "c1", ...texts);
    expect(await learner({ batchCountMax: 3 }).poll()).toMatchObject({ batches: 3, messages: 7 });
    await say(memory, "c2", ...texts.map((text) => `${text} ${"x".repeat(500)}`));
    expect(await learner({ batchBytesMax: 1_500 }).poll()).toMatchObject({ batches: 4, messages: 7 });
    const sizes = server.requests.filter((request) => requestOf(request).name === "facts").map(messageTexts);
    expect(sizes.map(({ length }) => length)).toEqual([3, 3, 1, 2, 2, 2, 1]);
    expect(sizes.slice(0, 3).flat()).toEqual(texts);
  });

  it("processes queued tasks", async () => {
    const { memory, learner } = await openLearning();
    const { longTerm } = await openLongTerm({ client: memory, runQueued: false });
    const { eventIds } = await longTerm.record(TEXTS[0]!, { wait: false });
    expect(await learner().poll()).toMatchObject({ tasks: { done: 1, failed: 0, postponed: 0 } });
    expect(await longTerm.status(eventIds[0]!)).toMatchObject({ state: "done" });
  });

  it("uses the subject from a template or a function, and skips messages without one", async () => {
    const { memory, server, learner } = await openLearning();
    await say(memory, "c1", TEXTS[0]!);
    await learner({ subject: "talk:{conversation}" }).poll();
    expect(await factTexts(new LongTermMemory(memory, { subject: "talk:c1" }))).toEqual([TEXTS[0]]);
    await say(memory, "c2", TEXTS[1]!);
    const learned: unknown[] = [];
    const about = ({ conversation }: { readonly conversation: string }) =>
      conversation === "c2" ? undefined : SUBJECT;
    await learner(
      { subject: about },
      { onLearned: ({ conversation, outcomes }) => learned.push([conversation, outcomes]) },
    ).poll();
    expect(learned).toEqual([["c2", []]]);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a learner in the background", () => {
  it("reacts to events, and finishes its batch when it is stopped", async () => {
    const received = latch<void>();
    const answer = latch<void>();
    const { memory, learner } = await openLearning(async (request) => {
      received.resolve();
      await answer.promise;
      return literal(request);
    });
    const { longTerm } = await openLongTerm({ client: memory });
    const background = learner({ pollMs: 3_600_000 });
    await background.start();
    await say(memory, "c1", TEXTS[0]!);
    await received.promise;
    const stopped = background.stop();
    answer.resolve();
    await stopped;
    expect(background.stats()).toMatchObject({ batches: 1, failures: 0 });
    expect(await factTexts(longTerm)).toEqual([TEXTS[0]]);
  });

  it("finds messages without an event", async () => {
    const { memory, learner } = await openLearning();
    await say(memory, "c1", TEXTS[0]!);
    const learned = latch<string>();
    const background = learner({}, { onLearned: ({ conversation }) => learned.resolve(conversation) });
    await background.start();
    expect(await learned.promise).toBe("c1");
    await background.stop();
  });

  it("shares the work with other learners", async () => {
    const { memory, server, learner } = await openLearning(async (request) => {
      await delay(systemClock, 20);
      return literal(request);
    });
    const texts = Array.from({ length: 20 }, (_, n) => `Key ${n} opens door ${n + 100}`);
    for (const [n, text] of texts.entries()) await say(memory, `c${n}`, text);
    const [first, second] = [learner({ concurrency: 2 }), learner({ concurrency: 2 })];
    const [one, two] = await Promise.all([first.poll(), second.poll()]);
    expect(one.batches + two.batches).toBe(20);
    expect(one.batches).toBeGreaterThan(0);
    expect(two.batches).toBeGreaterThan(0);
    const received = server.requests
      .filter((request) => requestOf(request).name === "facts")
      .flatMap(messageTexts);
    expect(received.sort()).toEqual(texts.sort());
  });
});
