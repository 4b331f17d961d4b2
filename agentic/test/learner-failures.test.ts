import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { LEARNER_DEFAULTS, Learner, LongTermMemory, observe } from "../src/index.js";
import { ABOUT, literal, openLearning, saidIn, say } from "./learner-fixture.js";
import { askedFor, factTexts, foundFacts, openLongTerm } from "./long-term-fixture.js";
import type { ScriptedAnswer } from "./scripted-openai/index.js";

describe("a learner whose model fails", () => {
  it("tries again with the same messages, until it succeeds", async () => {
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
    expect(await one.look()).toMatchObject({ batches: 0, messages: 0 });
    expect(one.stats().failures).toBeGreaterThan(0);
    expect(warnings[0]).toMatchObject({ conversation: "c1", code: "unauthorized", waitMs: 1 });
    isDown = false;
    await say(memory, "c1", "Rent is due on Fridays");
    server.requests.length = 0;
    while (one.stats().batches < 2) await one.look();
    const asked = server.requests.filter((request) => askedFor(request).name === "facts").map(saidIn);
    expect(asked).toEqual([["The cat is called Tom"], ["Rent is due on Fridays"]]);
    expect(await factTexts(longTerm)).toEqual(["Rent is due on Fridays", "The cat is called Tom"]);
  });

  it("waits longer each time, and no longer than it may", async () => {
    const { memory, server, learner } = await openLearning(() => ({ status: 401 }));
    await say(memory, "c1", "The cat is called Tom");
    const one = learner({ retryMs: 3_600_000, retryMsMax: 3_600_000 });
    expect(await one.look()).toMatchObject({ failures: 1 });
    expect(await one.look()).toMatchObject({ failures: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("asks nothing again that was answered, though the model would say it otherwise", async () => {
    let extractions = 0;
    let decisions = 0;
    const { memory, learner } = await openLearning((request): ScriptedAnswer => {
      if (askedFor(request).name === "facts") return foundFacts(`Tom the cat is old, said ${++extractions}`);
      return ++decisions === 1 ? { status: 401 } : literal(request);
    });
    const { longTerm } = await openLongTerm({ client: memory });
    await longTerm.record("Tom the cat is old");
    await say(memory, "c1", "Tom is old");
    const one = learner();
    while (one.stats().batches === 0) await one.look();
    expect([one.stats().failures, extractions, decisions]).toEqual([1, 1, 2]);
    expect(await factTexts(longTerm)).toEqual(["Tom the cat is old", "Tom the cat is old, said 1"]);
    const left = memory.inNamespace("learner").entries({ tier: "episodic", tags: [], order: "oldest" });
    for await (const { metadata } of left) expect(metadata?.kind).not.toBe("learner_answer");
  });

  it("asks anew where an answer was of no use", async () => {
    let asked = 0;
    const { memory, learner } = await openLearning((request) =>
      ++asked <= 2 ? { text: "no JSON" } : literal(request),
    );
    await say(memory, "c1", "The cat is called Tom");
    const one = learner();
    while (one.stats().batches === 0) await one.look();
    expect(one.stats()).toMatchObject({ failures: 1, batches: 1, outcomes: { new: 1 } });
  });

  it("tells of a batch that it cannot learn for a mistake of its own", async () => {
    const { memory, learner } = await openLearning();
    await say(memory, "c1", "The cat is called Tom");
    const fails = () => {
      throw new MemoryError("unavailable", "no directory of users");
    };
    expect(await learner({ about: fails, retryMs: 60_000 }).look()).toMatchObject({
      failures: 1,
      batches: 0,
    });
  });

  it("takes no option that it does not know", async () => {
    const { memory, model } = await openLearning();
    expect(() => new Learner(memory, { about: ABOUT, debounce: 1 } as never, { model })).toThrow(
      "unknown option `debounce` (did you mean `debounceMs`?",
    );
    expect(() => new Learner(memory, { about: "" }, { model })).toThrow("about must be");
    expect(() => new Learner(memory, { about: ABOUT, leaseMs: 1 }, { model })).toThrow("leaseMs must be");
    expect(LEARNER_DEFAULTS).toMatchObject({ tier: "episodic", debounceMs: 5_000, leaseMs: 60_000 });
  });
});

describe("observe", () => {
  it("lets what is of no use count for less, and what is of use for more", async () => {
    const { memory } = await openLearning();
    const longTerm = new LongTermMemory(memory, { about: ABOUT });
    const { outcomes } = await longTerm.record("The cat is called Tom");
    const ids = outcomes.map(({ id }) => id!);
    const score = async () => (await longTerm.retrieve("The cat is called Tom")).memories[0]!.score;
    const whole = await score();
    expect(await observe(memory, ids, false, { about: ABOUT })).toBe(1);
    expect(await score()).toBeCloseTo(whole * 0.75, 5);
    expect(await observe(memory, [...ids, "nothing"], true, { about: ABOUT })).toBe(1);
    expect(await score()).toBeCloseTo(whole, 5);
  });
});
