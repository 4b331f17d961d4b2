import { expect, it } from "vitest";
import { PacedSteps } from "../src/journal/queues.js";

const LARGE = 10_000;

it("runs steps immediately until they had many rows in a turn", () => {
  const steps = new PacedSteps();
  const done: string[] = [];
  expect(steps.run(1, () => done.push("small"))).toBeUndefined();
  expect(steps.run(LARGE, () => done.push("large"))).toBeUndefined();
  expect(steps.run(1, () => done.push("small"))).toBeUndefined();
  expect(steps.run(16, () => done.push("waits"))).toBeInstanceOf(Promise);
  expect(steps.run(1, () => done.push("waits, too"))).toBeInstanceOf(Promise);
  expect(done).toEqual(["small", "large", "small"]);
  steps.runAll();
  expect(done).toEqual(["small", "large", "small", "waits", "waits, too"]);
  const others = new PacedSteps();
  for (let step = 0; step < 10; step++) expect(others.run(100, () => {})).toBeUndefined();
  expect(others.run(100, () => {})).toBeInstanceOf(Promise);
});

it("yields before each large step except the first, and keeps the order", async () => {
  const steps = new PacedSteps();
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  setImmediate(() => {
    done.push("turn");
    setImmediate(note("turn"));
  });
  void steps.run(LARGE, note("first"));
  const second = steps.run(LARGE, note("second"))!.then(() => steps.run(1, note("after it")));
  void steps.run(1, note("small"));
  const third = steps.run(LARGE, note("third"));
  await second;
  expect(done).toEqual(["first", "turn", "second", "small", "turn", "third", "after it"]);
  await third;
  expect(steps.run(1, note("at once"))).toBeUndefined();
});

it("reports the error of a step, and continues", async () => {
  const steps = new PacedSteps();
  const fail = () => {
    throw new RangeError("no");
  };
  expect(() => steps.run(LARGE, fail)).toThrow("no");
  const [failed, next] = [steps.run(LARGE, fail), steps.run(1, () => {})];
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBeUndefined();
});
