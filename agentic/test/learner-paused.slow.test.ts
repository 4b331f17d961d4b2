import type { AgentMemory, MemoryClient } from "@membus/agent-client";
import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { Learner } from "../src/index.js";
import { latch, literal, messageTexts, openLearning, SUBJECT, say } from "./learner-fixture.js";
import { factTexts, openLongTerm, requestOf } from "./long-term-fixture.js";

const TEXTS = ["The cat is called Tom", "Rent is due on Fridays"];

/** More operations than a learner needs for one batch. */
const OPERATIONS_MAX = 100;

interface Pause {
  /** Number of operations before the pause. */
  left: number;
  readonly begin: () => void;
  readonly end: Promise<void>;
}

/** A memory that waits before one of its operations. */
function pausedMemory<T extends AgentMemory>(memory: T, pause: Pause): T {
  return new Proxy(memory, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const run = (...args: unknown[]): unknown => Reflect.apply(value, target, args);
      if (name === "inNamespace") return (...args: unknown[]) => pausedMemory(run(...args) as T, pause);
      if (name !== "store" && name !== "forget" && name !== "retrieve") return run;
      return async (...args: unknown[]) => {
        if (pause.left-- === 0) {
          pause.begin();
          await pause.end;
        }
        return run(...args);
      };
    },
  });
}

/** Learners with a model that words each fact differently for each request. */
async function openTelling() {
  let received = 0;
  const opened = await openLearning((request) => {
    if (requestOf(request).name !== "facts") return literal(request);
    const telling = ++received;
    const facts = messageTexts(request).map((text, n) => {
      return { text: `${text}, telling ${telling}`, message: n + 1, category: null };
    });
    return { json: { facts } };
  });
  const learnerOf = (memory: MemoryClient, laterS: number) => {
    const clock = { now: () => systemClock.now() + laterS, after: systemClock.after };
    return new Learner(memory, { subject: SUBJECT, debounceMs: 0 }, { model: opened.model, clock });
  };
  return { ...opened, learnerOf };
}

it("each message is learned once, wherever a learner pauses while another takes over", async () => {
  let hasPaused = true;
  for (let operations = 0; hasPaused && operations < OPERATIONS_MAX; operations++) {
    const { memory, learnerOf } = await openTelling();
    const { longTerm } = await openLongTerm({ client: memory });
    await say(memory, "c1", ...TEXTS);

    const begun = latch<boolean>();
    const end = latch<void>();
    const pause = { left: operations, begin: () => begun.resolve(true), end: end.promise };
    const paused = learnerOf(pausedMemory(memory, pause), 0).poll();
    hasPaused = await Promise.race([begun.promise, paused.then(() => false)]);
    await learnerOf(memory, 7_200).poll();
    end.resolve();
    await paused;

    const learned = (await factTexts(longTerm)).map((text) => text.replace(/, telling \d+$/, ""));
    expect(learned, `paused before operation ${operations}`).toEqual([...TEXTS].sort());
  }
  expect(hasPaused).toBe(false);
});
