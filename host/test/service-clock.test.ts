import { expect, it } from "vitest";
import { ServiceClock } from "../src/routing/service-clock.js";

function clockOf() {
  let now = 0;
  const clock = new ServiceClock(() => now);
  return { clock, pass: (ms: number) => (now += ms) };
}

it("charges synchronous work to its task, and shares other time among all running tasks", () => {
  const { clock, pass } = clockOf();
  const first = clock.start(async () => void pass(10));
  pass(4);
  const second = clock.start(async () => void pass(20));
  pass(6);
  expect([first.synchronousMs, second.synchronousMs]).toEqual([10, 20]);
  expect(second.end()).toBe(23);
  pass(5);
  expect(first.end()).toBe(22);
});

it("charges no task for time in which no task is running", () => {
  const { clock, pass } = clockOf();
  pass(100);
  const first = clock.start(async () => {});
  expect(first.end()).toBe(0);
  pass(100);
  expect(clock.start(async () => void pass(1)).end()).toBe(1);
});
