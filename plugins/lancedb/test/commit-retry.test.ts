import type { Clock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { retryCommit } from "../src/table/commit-retry.js";

const CONFLICT = "lance error: Retryable commit conflict for version 7: preempted";

/** Clock with timers that fire immediately. Records their durations. */
class HastyClock implements Clock {
  readonly delays: number[] = [];

  now(): number {
    return 0;
  }

  after(delayMs: number, run: () => void): () => void {
    this.delays.push(delayMs);
    run();
    return () => {};
  }
}

describe("a commit", () => {
  it("that conflicts with another is retried after growing pauses", async () => {
    const clock = new HastyClock();
    let attempts = 0;
    const result = await retryCommit(clock, async () => {
      if (++attempts < 4) throw new Error(CONFLICT);
      return attempts;
    });
    expect(result).toBe(4);
    expect(clock.delays).toHaveLength(3);
    for (const [index, delayMs] of clock.delays.entries()) {
      expect(delayMs).toBeGreaterThanOrEqual(10);
      expect(delayMs).toBeLessThan(10 * 2 ** (index + 1));
    }
  });

  it("is given up after the last attempt", async () => {
    const clock = new HastyClock();
    await expect(retryCommit(clock, () => Promise.reject(new Error(CONFLICT)))).rejects.toThrow(CONFLICT);
    expect(clock.delays).toHaveLength(7);
  });

  it("with another error is not retried", async () => {
    const clock = new HastyClock();
    await expect(retryCommit(clock, () => Promise.reject(new Error("no space")))).rejects.toThrow("no space");
    expect(clock.delays).toEqual([]);
  });
});
