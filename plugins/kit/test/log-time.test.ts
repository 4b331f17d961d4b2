import { describe, expect, it } from "vitest";
import { LogTime } from "../src/journal/log-time.js";

/** Returns the seconds that a log with records of these times counts. */
function elapsed(times: readonly number[]): number {
  const logTime = new LogTime();
  for (const at of times) logTime.of(at);
  return logTime.elapsedS;
}

/** Times of a hundred records a second. Every second record was accepted `lateS` before it was logged. */
const busy = (fromS: number, seconds: number, lateS: number) =>
  Array.from({ length: seconds * 100 }, (_, index) => fromS + index / 100 - (index % 2) * lateS);

describe("the time of a log", () => {
  it.each([0.005, 0.3, 5])("is the true time if records are logged %s s late", (lateS) => {
    expect(elapsed(busy(1_000, 60, lateS))).toBeCloseTo(60, 1);
  });

  it.each([3_600, -3_600])(
    "counts at most a second if the next host's clock differs by %s s",
    (differenceS) => {
      const times = [...busy(10_000, 30, 0.3), ...busy(10_030 + differenceS, 30, 0.3)];
      const counted = elapsed(times);
      expect(counted).toBeGreaterThan(59);
      expect(counted).toBeLessThan(61.1);
    },
  );

  it("counts a second of a pause", () => {
    expect(elapsed([1_000, 1_000.5, 5_000, 5_000.25])).toBe(1.75);
  });
});
