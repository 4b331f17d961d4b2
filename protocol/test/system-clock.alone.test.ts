import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.js";

const HOUR_MS = 3_600_000;
const real = Date.now;
let shiftMs = 0;
vi.spyOn(Date, "now").mockImplementation(() => real() + shiftMs);
afterEach(() => {
  shiftMs = 0;
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
