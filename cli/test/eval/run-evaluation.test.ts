import type { AgentMemory } from "@membus/agent-client";
import type { Clock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { EVALUATION_DEFAULTS } from "../../src/eval/evaluation-options.js";
import { evaluationReport } from "../../src/eval/evaluation-report.js";
import { runEvaluation } from "../../src/eval/run-evaluation.js";

/** Time passes only during waits and requests. */
class WaitedClock implements Clock {
  #now = 1_000;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    this.pass(delayMs);
    queueMicrotask(run);
    return () => {};
  }

  pass(ms: number): void {
    this.#now += ms / 1_000;
  }
}

const DOCUMENT = { id: "d1", text: "The train leaves at nine", line: 1 };
const QUESTIONS = ["q1", "q2"].map((id, index) => ({
  ...{ id, type: "untyped", question: "When do we leave?", gold: ["d1"], main: true, line: index + 1 },
}));

/** A host with incomplete answers. The first takes `tookMs`, each later one 10 ms less. */
async function evaluate(isIncomplete: (number: number) => boolean, tookMs: number) {
  const clock = new WaitedClock();
  let callCount = 0;
  const memory = {
    inNamespace: () => memory,
    store: async () => ({ errors: [] }),
    async retrieve() {
      clock.pass(Math.max(0, tookMs - 10 * callCount));
      const degraded = isIncomplete(callCount++) ? { code: "unavailable" } : undefined;
      return { entries: [{ key: { line: 1 } }], degraded };
    },
  } as unknown as AgentMemory;
  const { answers } = await runEvaluation(
    { documents: [DOCUMENT], queries: QUESTIONS },
    EVALUATION_DEFAULTS,
    { memory, clock, namespace: "eval", signal: new AbortController().signal, onProgress() {} },
  );
  return { answers, callCount, tookS: clock.now() - 1_000 };
}

describe("runEvaluation", () => {
  it("repeats a query until its answer is complete, and counts the time of the first reply", async () => {
    const { answers, callCount } = await evaluate((number) => number > 0 && number < 4, 100);
    expect(answers.map(({ degraded }) => degraded)).toEqual([false, false]);
    // One warm-up, four for the first question, and one for the second.
    expect(callCount).toBe(6);
    expect(answers.map(({ latencyMs }) => Math.round(latencyMs))).toEqual([90, 50]);
  });

  it("waits at most one minute in total for a host that never completes an answer", async () => {
    const { answers, tookS } = await evaluate(() => true, 1_000);
    expect(answers.map(({ degraded }) => degraded)).toEqual([true, true]);
    expect(tookS).toBeGreaterThan(60);
    expect(tookS).toBeLessThan(65);
  });
});

describe("a document that is refused", () => {
  const DOCUMENTS = [DOCUMENT, { id: "huge", text: "x", line: 2 }, { id: "d3", text: "y", line: 3 }];

  async function evaluateWith(code: string) {
    const memory = {
      inNamespace: () => memory,
      store: async () => ({ errors: [{ index: 1, code, message: "no" }] }),
      retrieve: async () => ({ entries: [{ key: { line: 1 } }] }),
    } as unknown as AgentMemory;
    return runEvaluation({ documents: DOCUMENTS, queries: QUESTIONS }, EVALUATION_DEFAULTS, {
      ...{ memory, clock: new WaitedClock(), namespace: "eval", signal: new AbortController().signal },
      onProgress() {},
    });
  }

  it("is left out and reported, if it is too large", async () => {
    const evaluation = await evaluateWith("too_large");
    expect(evaluation.tooLarge.map(({ id }) => id)).toEqual(["huge"]);
    const report = evaluationReport(
      { documents: DOCUMENTS, queries: [...QUESTIONS, { ...QUESTIONS[0]!, id: "none", gold: [] }] },
      EVALUATION_DEFAULTS,
      evaluation,
    );
    expect(report).toMatchObject({ documents: 3, documents_too_large: 1, queries: 2, queries_unscored: 1 });
  });

  it("ends the evaluation for any other reason", async () => {
    await expect(evaluateWith("forbidden")).rejects.toThrow("document huge: forbidden: no");
  });
});
