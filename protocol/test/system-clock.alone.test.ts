import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.js";

const HOUR_MS = 3_600_000;
const real = Date.now;
const realElapsed = performance.now.bind(performance);
let shiftMs = 0;
/** Time that the process has not run. */
let pausedMs = 0;
/** Length of a pause after the next read of a clock. */
let pauseMs = 0;
function pausedTotal(): number {
  const total = pausedMs;
  pausedMs += pauseMs;
  pauseMs = 0;
  return total;
}
vi.spyOn(Date, "now").mockImplementation(() => real() + shiftMs + pausedTotal());
vi.spyOn(performance, "now").mockImplementation(() => realElapsed() + pausedTotal());
afterEach(() => {
  shiftMs = 0;
  pausedMs = 0;
});

/** Returns the hours that the clock is ahead of the real time. */
const aheadHours = () => Math.round((systemClock.now() * 1000 - real()) / HOUR_MS);

describe("the system clock", () => {
  it("is the Unix time, with fractions of a millisecond", () => {
    const before = real();
    const now = systemClock.now() * 1000;
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThan(real() + 60_000);
    const times = Array.from({ length: 100 }, () => systemClock.now() * 1000);
    expect(times.some((time) => !Number.isInteger(time))).toBe(true);
  });

  it("is not ahead of the machine after a pause between two reads", () => {
    pauseMs = 60_000;
    systemClock.now();
    expect(systemClock.now() * 1000).toBeLessThan(real() + pausedMs + 30_000);
  });

  it("follows the machine forward after it was suspended, and never steps back", async () => {
    expect(aheadHours()).toBe(0);
    shiftMs = 8 * HOUR_MS;
    expect(aheadHours()).toBe(8);
    const ahead = systemClock.now();
    shiftMs = -5 * HOUR_MS;
    const first = systemClock.now();
    expect(first).toBeGreaterThanOrEqual(ahead);
    expect(aheadHours()).toBe(8);
    // Time passes, so that an entry lives for its `ttl`.
    await new Promise(setImmediate);
    expect(systemClock.now()).toBeGreaterThan(first);
    shiftMs = 9 * HOUR_MS;
    expect(aheadHours()).toBe(9);
  });
});
