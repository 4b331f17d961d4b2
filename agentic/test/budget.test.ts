import type { Clock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { type BudgetOptions, listBudgets, withBudget } from "../src/budget/index.js";
import { LongTermMemory, Memory } from "../src/index.js";
import { type ChatModel, generateObject, ModelError } from "../src/model/index.js";
import { openLearning, say } from "./learner-fixture.js";
import { factTexts, foundFacts, openLongTerm, openMemory } from "./long-term-fixture.js";
import { modelErrorOf, readStream, startModel } from "./model-fixture.js";
import type { Script } from "./scripted-openai/index.js";

const HELLO = { messages: [{ role: "user" as const, content: "Hello" }], maxOutputTokens: 100 };
const USAGE = { inputTokens: 10, outputTokens: 20 };
const OK = { text: "ok", usage: USAGE };
const NOON = Date.UTC(2026, 4, 1, 12) / 1000;
const MIDNIGHT = Date.UTC(2026, 4, 2) / 1000;

/** A clock that the test sets. */
class SetClock implements Clock {
  time = NOON;
  now = () => this.time;
  after = () => () => {};
}

async function openBudget(options: BudgetOptions, script: Script = () => OK) {
  const memory = await openMemory();
  const clock = new SetClock();
  const { model, server, meter } = await startModel(script);
  const budgeted = (more: Partial<BudgetOptions> = {}, view = memory.inNamespace("default")) =>
    withBudget(model, view, { ...options, ...more }, { clock });
  return { memory, clock, server, meter, budgeted };
}

describe("a budget of tokens", () => {
  it("reserves the most that a call can cost, and releases the rest", async () => {
    const { memory, budgeted, server } = await openBudget({ tokens: 200 });
    const model = budgeted();
    expect((await model.complete(HELLO)).budget).toEqual({
      ...{ scope: "agent", per: "day", period: "2026-05-01", until: MIDNIGHT },
      ...{ tokens: 30, usd: 0, calls: 1, tokensMax: 200 },
    });
    await model.complete(HELLO);
    await model.complete(HELLO);
    const error = await modelErrorOf(model.complete(HELLO));
    expect(error).toMatchObject({ code: "over_budget", retryAfterMs: 43_200_000, retryable: false });
    expect(error.message).toMatch(
      /^the budget per day has used 90 of 200 tokens, and this call needs up to \d+/,
    );
    expect(server.requests).toHaveLength(3);
    expect(await listBudgets(memory)).toMatchObject([{ scope: "agent", tokens: 90, calls: 3 }]);
  });

  it("is shared by processes that call at the same time", async () => {
    const memory = await openMemory();
    let called = 0;
    const model: ChatModel = {
      complete: async () => {
        called += 1;
        return { text: "ok", toolCalls: [], finishReason: "stop", usage: USAGE };
      },
    };
    const budgeted = () => withBudget(model, memory, { tokens: 600 });
    const calls = Array.from({ length: 12 }, () => budgeted().complete({ ...HELLO, maxOutputTokens: 180 }));
    const ended = await Promise.allSettled(calls);
    // At most three reservations of about 200 fit at once, and each call uses 30.
    const done = ended.filter(({ status }) => status === "fulfilled").length;
    expect(done).toBe(called);
    expect(done).toBeGreaterThan(0);
    expect(done * 30).toBeLessThanOrEqual(600);
  });

  it("starts again with the next period", async () => {
    const { budgeted, clock } = await openBudget({ tokens: 140 });
    await budgeted().complete(HELLO);
    expect((await modelErrorOf(budgeted().complete(HELLO))).code).toBe("over_budget");
    clock.time = MIDNIGHT;
    expect((await budgeted().complete(HELLO)).budget).toMatchObject({ period: "2026-05-02", tokens: 30 });
  });

  it("belongs to a namespace with `scope`", async () => {
    const { memory, budgeted } = await openBudget({ tokens: 140, scope: "namespace" });
    await budgeted({}, memory.inNamespace("a")).complete(HELLO);
    await budgeted({}, memory.inNamespace("b")).complete(HELLO);
    expect((await modelErrorOf(budgeted({}, memory.inNamespace("a")).complete(HELLO))).code).toBe(
      "over_budget",
    );
    expect((await listBudgets(memory)).map(({ scope }) => scope)).toEqual(["namespace a", "namespace b"]);
  });

  it("releases the reservation of a call that failed, and counts the streamed tokens", async () => {
    const { memory, budgeted } = await openBudget({ tokens: 10_000 }, [
      { status: 401 },
      { text: "x".repeat(400), cutAfter: 2 },
      OK,
    ]);
    await modelErrorOf(budgeted().complete(HELLO));
    expect(await listBudgets(memory)).toMatchObject([{ tokens: 0, calls: 1 }]);
    await modelErrorOf(budgeted().complete(HELLO));
    const tokens = (await listBudgets(memory))[0]!.tokens;
    expect(tokens).toBeGreaterThan(9);
    expect(tokens).toBeLessThan(120);
    const { parts } = await readStream(budgeted().completeStream(HELLO));
    expect(parts.at(-1)).toMatchObject({ reply: { text: "ok", budget: { tokens: tokens + 30 } } });
  });
});

describe("a call that fails", () => {
  const failing = (error: unknown) => ({ complete: () => Promise.reject(error) });
  const spent = async (error: unknown) => {
    const memory = await openMemory();
    const model = withBudget(failing(error), memory, { tokens: 1_000, inputPrice: 10 });
    const thrown: unknown = await model.complete(HELLO).catch((reason: unknown) => reason);
    return { thrown, tokens: (await listBudgets(memory))[0]!.tokens };
  };

  it("costs the prompt if the model may have read it, and its error has the budget", async () => {
    const usage = { inputTokens: 12, outputTokens: 0 };
    const late = await spent(new ModelError("timeout", "too late", { usage, retryAfterMs: 7 }));
    expect(late.tokens).toBe(12);
    expect(late.thrown).toMatchObject({
      ...{ code: "timeout", message: "too late", retryAfterMs: 7 },
      ...{ usage: { inputTokens: 12, usd: expect.closeTo(0.00012) }, budget: { tokens: 12, calls: 1 } },
    });
    const aborted = await spent(new DOMException("gone", "AbortError"));
    expect(aborted).toMatchObject({ thrown: { name: "AbortError" }, tokens: 9 });
  });

  it("costs nothing if the model did not read it", async () => {
    expect(await spent(new ModelError("unauthorized", "wrong key"))).toMatchObject({ tokens: 0 });
    const memory = await openMemory();
    const poor = withBudget(failing(new Error("not called")), memory, { tokens: 10 });
    expect((await modelErrorOf(poor.complete(HELLO))).budget).toMatchObject({ tokens: 0, tokensMax: 10 });
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(poor.complete({ ...HELLO, signal })).rejects.toThrow("gone");
    expect(await listBudgets(memory)).toEqual([]);
  });

  it("costs the prompt if its stream is left before the first text", async () => {
    const { memory, budgeted } = await openBudget({ tokens: 10_000 });
    const stream = budgeted().completeStream(HELLO)[Symbol.asyncIterator]();
    await stream.next();
    await stream.return!();
    expect((await listBudgets(memory))[0]!.tokens).toBeGreaterThan(8);
  });
});

describe("a budget of dollars", () => {
  it("uses the prices, and is part of the cost of a result", async () => {
    const prices = { usd: 0.001, inputPrice: 1, outputPrice: 5 };
    const { memory, budgeted, meter } = await openBudget(prices, () => ({
      ...foundFacts("a"),
      usage: USAGE,
    }));
    const longTerm = new LongTermMemory(memory, { subject: "user:abc123" }, { model: budgeted() });
    await expect(longTerm.record([{ role: "user", content: "I live in Rome" }])).rejects.toMatchObject({
      code: "over_budget",
    });
    const roomy = new LongTermMemory(
      memory,
      { subject: "user:abc123" },
      { model: budgeted({ usd: 1, inputPrice: 1, outputPrice: 5 }) },
    );
    const { cost } = await roomy.record([{ role: "user", content: "I live in Rome" }]);
    expect(cost.usd).toBeCloseTo(0.00011);
    expect(cost.budget).toMatchObject({ usdMax: 1, usd: expect.closeTo(0.00011), tokens: 30 });
    expect(meter.cost).not.toHaveProperty("usd");
    await longTerm.close();
    await roomy.close();
  });

  it.each<[BudgetOptions, string]>([
    [{}, "budget needs `tokens` or `usd`"],
    [{ usd: 1 }, "budget in `usd` needs `inputPrice` and `outputPrice`"],
    [{ tokens: -1 }, "tokens must be an integer of 0.."],
    [{ tokens: 1, per: "week" as never }, "per must be"],
  ])("rejects %j", async (options, message) => {
    const memory = await openMemory();
    const { model } = await startModel([]);
    expect(() => withBudget(model, memory, options)).toThrow(message);
  });
});

describe("over the budget", () => {
  it("a learner leaves the messages, and learns them in the next period", async () => {
    const { memory, model, learner, server } = await openLearning();
    const clock = new SetClock();
    await say(memory, "c1", "My cat is called Tom");
    const budget = (tokens: number) => withBudget(model, memory, { tokens }, { clock });
    const poor = learner({}, { model: budget(10) });
    expect(await poor.poll()).toMatchObject({
      ...{ failures: 1, setAside: 0, batches: 0 },
      cost: { modelCalls: 0, budget: { tokens: 0, tokensMax: 10 } },
    });
    expect(server.requests).toEqual([]);
    const rich = learner({}, { model: budget(100_000) });
    expect(await rich.poll({ ignoreDebounce: true })).toMatchObject({ batches: 1, failures: 0 });
    expect(rich.stats().cost.budget).toMatchObject({ tokensMax: 100_000 });
    const { longTerm } = await openLongTerm({ client: memory });
    expect(await factTexts(longTerm)).toEqual([expect.stringMatching(/cat is called Tom$/)]);
  });

  it("`Memory` queues the work and returns the reason, and does it in the next period", async () => {
    const { memory: client, clock } = await openBudget({});
    const { model } = await startModel(() => ({ ...foundFacts("Ada likes tea"), usage: USAGE }));
    const memory = new Memory(client, { budget: { tokens: 10, per: "day" } }, { model, clock });
    const added = await memory.add({ role: "user", content: "I like tea" }, { user: "ada" });
    expect(added).toMatchObject({
      ...{ facts: [], degraded: { code: "over_budget", retryAfterMs: 43_200_000 } },
      cost: { modelCalls: 0, budget: { tokens: 0, tokensMax: 10, until: MIDNIGHT } },
    });
    expect(added.queued).toHaveLength(1);
    await memory.settled();
    clock.time = MIDNIGHT;
    const rich = new Memory(client, { budget: { tokens: 100_000 } }, { model, clock });
    const next = await rich.add({ role: "user", content: "I live in Rome" }, { user: "ada" });
    expect(next).toMatchObject({ queued: [], cost: { modelCalls: 1, budget: { tokens: 30, calls: 1 } } });
    expect(next).not.toHaveProperty("degraded");
    const learning = new LongTermMemory(
      client,
      { subject: "user:ada" },
      { model: withBudget(model, client, { tokens: 100_000 }, { clock }), clock },
    );
    expect(await learning.runPending()).toMatchObject({ done: 1 });
    const [status] = await Promise.all(added.queued.map((id) => learning.status(id)));
    expect(status).toMatchObject({ state: "done", cost: { budget: { calls: 2 } } });
    for (const opened of [memory, rich, learning]) await opened.close();
    expect(() => new Memory(client, { budget: { usd: 1 } })).toThrow("budget in `usd` needs `inputPrice`");
  });

  it("a record with `wait: false` stays queued", async () => {
    const { budgeted, memory } = await openBudget({ tokens: 10 });
    const { longTerm } = await openLongTerm({ client: memory, model: budgeted(), runQueued: false });
    const { eventIds } = await longTerm.record([{ role: "user", content: "I live in Rome" }], {
      wait: false,
    });
    expect(await longTerm.runPending()).toEqual({ done: 0, failed: 0, postponed: 1 });
    expect(await longTerm.status(eventIds[0]!)).toMatchObject({
      ...{ state: "queued", attempts: 0 },
      reason: expect.stringMatching(/^over_budget: the budget per day has used 0 of 10 tokens, .*renewed at/),
    });
  });

  it("a question is not repeated", async () => {
    const { budgeted, meter, server } = await openBudget({ tokens: 10 });
    const { z } = await import("zod");
    const question = { messages: HELLO.messages, schema: z.object({ a: z.boolean() }), name: "a" };
    expect((await modelErrorOf(generateObject(budgeted(), question, meter))).code).toBe("over_budget");
    expect(meter.cost).toMatchObject({ modelCalls: 0, budget: { tokens: 0, tokensMax: 10 } });
    expect(server.requests).toEqual([]);
  });
});
