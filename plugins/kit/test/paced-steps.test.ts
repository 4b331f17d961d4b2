import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { PacedSteps } from "../src/journal/paced-steps.js";
import { STRETCH_S } from "../src/stretch.js";

/** A step that takes longer than all together may. */
function long(): void {
  const end = systemClock.now() + 1.1 * STRETCH_S;
  while (systemClock.now() < end);
}

it("runs short steps at once", () => {
  const steps = new PacedSteps();
  const done: number[] = [];
  for (let step = 0; step < 5; step++) expect(steps.run(() => done.push(step))).toBeUndefined();
  expect(done).toEqual([0, 1, 2, 3, 4]);
});

it("lets others in after long ones, and keeps the order", async () => {
  const steps = new PacedSteps();
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  expect(steps.run(long)).toBeUndefined();
  setImmediate(note("other"));
  const first = steps.run(() => {
    done.push("long");
    long();
    setImmediate(note("another"));
  });
  steps.run(note("second"));
  void first?.then(() => steps.run(note("third")));
  await first;
  expect(done).toEqual(["other", "long"]);
  await steps.run(note("last"));
  expect(done).toEqual(["other", "long", "another", "second", "third", "last"]);
  expect(steps.run(note("at once"))).toBeUndefined();
});

it("tells what a step throws, and goes on", async () => {
  const steps = new PacedSteps();
  const fail = () => {
    throw new RangeError("no");
  };
  expect(() => steps.run(fail)).toThrow("no");
  steps.run(long);
  const [failed, next] = [steps.run(fail), steps.run(() => {})];
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBeUndefined();
});
