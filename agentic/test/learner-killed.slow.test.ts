import type { AgentMemory, MemoryClient } from "@membus/agent-client";
import { MemoryError, systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { Learner } from "../src/index.js";
import { literal, messageTexts, openLearning, SUBJECT, say } from "./learner-fixture.js";
import { factTexts, openLongTerm, requestOf } from "./long-term-fixture.js";

const TEXTS = Array.from({ length: 5 }, (_, n) => `Box ${n} is ${n === 2 ? "poison" : "heavy"}`);

/** More writes than a learner makes in the whole story. */
const WRITES_MAX = 200;

/** Simulates a process that is killed before the reply to its last write: no later write succeeds. */
function killedAfter<T extends AgentMemory>(memory: T, writes: { left: number }): T {
  const write = async (run: () => Promise<unknown>) => {
    const isLast = writes.left-- <= 1;
    const result = writes.left >= 0 ? await run() : undefined;
    if (isLast) throw new MemoryError("unavailable", "the process was killed");
    return result;
  };
  return new Proxy(memory, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const run = (...args: unknown[]): unknown => Reflect.apply(value, target, args);
      if (name === "inNamespace") return (...args: unknown[]) => killedAfter(run(...args) as T, writes);
      if (name !== "store" && name !== "forget") return run;
      return (...args: unknown[]) => write(() => run(...args) as Promise<unknown>);
    },
  });
}

/**
 * A model that rejects poisoned messages while `isStubborn`, and words each fact differently for each
 * request.
 */
async function openPoisoned() {
  const state = { isStubborn: true, received: 0 };
  const opened = await openLearning((request) => {
    const texts = messageTexts(request);
    if (state.isStubborn && texts.some((text) => text.includes("poison"))) return { refusal: "no" };
    if (requestOf(request).name !== "facts") return literal(request);
    const facts = texts.map((text, n) => {
      return { text: `${text}, telling ${++state.received}`, message: n + 1, category: null };
    });
    return { json: { facts } };
  });
  const options = { subject: SUBJECT, debounceMs: 0, retryMs: 1, retryMsMax: 1, faultCountMax: 1 };
  const learnerOf = (memory: MemoryClient, laterS: number) => {
    const clock = { now: () => systemClock.now() + laterS, after: systemClock.after };
    return new Learner(memory, options, { model: opened.model, clock });
  };
  return { ...opened, state, learnerOf };
}

async function countSetAside(learner: Learner): Promise<number> {
  let count = 0;
  for await (const _ of learner.setAside()) count++;
  return count;
}

/** Sets the poisoned message aside, and retries it when the model accepts it. */
async function playStory(learner: Learner, state: { isStubborn: boolean }): Promise<void> {
  for (let look = 0; look < 50 && learner.stats().setAside === 0 && state.isStubborn; look++) {
    await learner.poll();
    if (learner.stats().messages === TEXTS.length) return;
  }
  state.isStubborn = false;
  await learner.retrySetAside();
  for (let look = 0; look < 50 && (await countSetAside(learner)) > 0; look++) await learner.poll();
  await learner.poll();
}

it("a learner that is killed after any write is taken over, and each message is learned once", async () => {
  let isWhole = false;
  for (let writes = 1; !isWhole && writes < WRITES_MAX; writes++) {
    const { memory, state, learnerOf } = await openPoisoned();
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", ...TEXTS);
    const left = { left: writes };
    await playStory(learnerOf(killedAfter(memory, left), 0), state).catch(() => {});
    isWhole = left.left > 0;

    const next = learnerOf(memory, 7_200);
    await playStory(next, state);
    expect(await next.poll(), `killed after write ${writes}`).toMatchObject({ lost: 0 });
    expect(await countSetAside(next)).toBe(0);
    const learned = (await factTexts(longTerm)).map((text) => text.replace(/, telling \d+$/, ""));
    expect(learned, `killed after write ${writes}`).toEqual(TEXTS);
  }
  expect(isWhole).toBe(true);
});
