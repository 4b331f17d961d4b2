import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { ShiftingClock } from "../src/index.js";

it("stands still while it is held, and runs the timers that become due", () => {
  const clock = new ShiftingClock();
  const fired: string[] = [];
  const start = Math.ceil(clock.now()) + 1;
  clock.hold(start);
  clock.after(2_000, () => fired.push("after 2 s"));
  clock.after(60_000, () => fired.push("after 60 s"));
  expect(clock.now()).toBe(start);
  clock.advance(1.5);
  expect([clock.now(), fired]).toEqual([start + 1.5, []]);
  clock.hold(start + 2);
  expect([clock.now(), fired]).toEqual([start + 2, ["after 2 s"]]);
  clock.advance(58);
  expect([clock.now(), fired]).toEqual([start + 60, ["after 2 s", "after 60 s"]]);
});

it("runs again with the offset that is set after it was held", () => {
  const clock = new ShiftingClock();
  clock.hold(clock.now() + 1_000);
  expect(Math.abs(clock.offsetSeconds - 1_000)).toBeLessThan(60);
  clock.set(-500);
  expect(Math.abs(clock.now() - (systemClock.now() - 500))).toBeLessThan(60);
});
