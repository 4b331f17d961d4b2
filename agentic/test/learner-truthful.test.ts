import { describe, expect, it } from "vitest";
import { ModelError } from "../src/index.js";
import type { ChatModel, ModelReply, ModelRequest } from "../src/model/index.js";
import { literal, messageTexts, openLearning, say } from "./learner-fixture.js";
import { factTexts, openLongTerm, requestOf } from "./long-term-fixture.js";

const TEXTS = ["The cat is called Tom", "Rent is due on Fridays", "Her sister lives in Oslo"];

/** A model that times out while the prompt contains one of the texts. */
function slowFor(model: ChatModel, isSlow: (prompt: string) => boolean): ChatModel & { calls: number } {
  return {
    calls: 0,
    async complete(request: ModelRequest): Promise<ModelReply> {
      this.calls += 1;
      if (!isSlow(JSON.stringify(request.messages))) return model.complete(request);
      const usage = { inputTokens: 100, outputTokens: 7 };
      throw new ModelError("timeout", "the model provider did not answer within 60000 ms", { usage });
    },
  };
}

describe("a learner with a model that times out", () => {
  it("divides the batch at once, and learns the other messages", async () => {
    const { memory, model, learner, server } = await openLearning();
    const slow = slowFor(model, (prompt) => prompt.includes("Rent"));
    await say(memory, "c1", ...TEXTS);
    const one = learner({ faultCountMax: 2 }, { model: slow });
    while (one.stats().setAside === 0) await one.poll();
    while (one.stats().messages < 2) await one.poll();
    const sizes = server.requests.filter((request) => requestOf(request).name === "facts").map(messageTexts);
    expect(sizes).toEqual([[TEXTS[0]], [TEXTS[2]]]);
    const { longTerm } = await openLongTerm({ client: memory });
    expect(await factTexts(longTerm)).toEqual([TEXTS[2], TEXTS[0]]);
    // All three, the first two, and twice the second one.
    expect(one.stats()).toMatchObject({ failures: 4, setAside: 1, batches: 2 });
    await one.poll();
    expect(one.stats()).toMatchObject({ failures: 4 });
  });

  it("learns a message that was set aside when the model is faster again", async () => {
    const { memory, model, learner } = await openLearning();
    let isAway = true;
    const one = learner({ faultCountMax: 1 }, { model: slowFor(model, () => isAway) });
    await say(memory, "c1", TEXTS[0]!);
    await one.poll();
    expect(one.stats()).toMatchObject({ setAside: 1, messages: 0 });
    isAway = false;
    expect(await one.retrySetAside()).toBe(1);
    expect(await one.poll()).toMatchObject({ messages: 1 });
  });
});

describe("the statistics of a learner", () => {
  it("count the calls and tokens of failed batches", async () => {
    const { memory, model, learner } = await openLearning();
    await say(memory, "c1", TEXTS[0]!);
    const one = learner({}, { model: slowFor(model, () => true) });
    expect((await one.poll()).cost).toMatchObject({ modelCalls: 1, inputTokens: 100, outputTokens: 7 });
  });

  it("do not count answers that are repeated from an earlier attempt", async () => {
    let isRejected = true;
    const { memory, learner } = await openLearning((request) =>
      requestOf(request).name === "decisions" && isRejected ? { status: 401 } : literal(request),
    );
    const { longTerm } = await openLongTerm({ client: memory });
    await longTerm.record("Her sister lives in Paris", { infer: false });
    await say(memory, "c1", TEXTS[2]!);
    const learned: number[] = [];
    const one = learner({}, { onLearned: ({ cost }) => learned.push(cost.modelCalls) });
    expect((await one.poll()).cost.modelCalls).toBe(2);
    isRejected = false;
    while (one.stats().batches === 0) await one.poll();
    expect(one.stats().cost.modelCalls).toBe(3);
    expect(learned).toEqual([1]);
  });
});
