import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../../host/test/fake-clock.js";
import { updateWithRetry } from "../src/index.js";

/** A counter that another writer changes before each of the first `conflictCount` writes. */
class ContendedCounter {
  value = 0;
  revision = 1;
  readCount = 0;

  constructor(public conflictCount: number) {}

  readonly read = async () => {
    this.readCount++;
    return { value: this.value, revision: this.revision };
  };

  readonly write = async ({ value, revision }: { value: number; revision: number }) => {
    if (this.conflictCount-- > 0) this.#set(this.value + 10);
    if (revision !== this.revision) return undefined;
    this.#set(value);
    return `revision ${this.revision}`;
  };

  #set(value: number): void {
    this.value = value;
    this.revision++;
  }
}

const increment = ({ value, revision }: { value: number; revision: number }) => ({
  value: value + 1,
  revision,
});

/** Returns a clock that ends pauses at once and records their lengths in milliseconds. */
function instantClock() {
  const pausesMs: number[] = [];
  const clock = new FakeClock();
  return {
    pausesMs,
    clock: {
      now: () => clock.now(),
      after: (delayMs: number, run: () => void) => {
        pausesMs.push(delayMs);
        run();
        return () => {};
      },
    },
  };
}

describe("updateWithRetry", () => {
  it("returns the value of the first write that succeeds, without a pause", async () => {
    const counter = new ContendedCounter(0);
    const { clock, pausesMs } = instantClock();
    expect(await updateWithRetry(counter.read, increment, counter.write, { clock })).toBe("revision 2");
    expect([counter.value, counter.readCount, pausesMs]).toEqual([1, 1, []]);
  });

  it("applies the change to the value that the other writer stored", async () => {
    const counter = new ContendedCounter(3);
    const { clock } = instantClock();
    await updateWithRetry(counter.read, increment, counter.write, { clock });
    expect([counter.value, counter.readCount]).toEqual([31, 4]);
  });

  it("waits 1 ms to 4 ms before the second attempt, up to twice as long each time, at most 100 ms", async () => {
    const { clock, pausesMs } = instantClock();
    for (let run = 0; run < 50; run++) {
      const counter = new ContendedCounter(7);
      await updateWithRetry(counter.read, increment, counter.write, { clock });
    }
    for (const [at, longestMs] of [4, 8, 16, 32, 64, 100, 100].entries()) {
      const ofAttempt = pausesMs.filter((_, index) => index % 7 === at);
      expect(Math.min(...ofAttempt)).toBeGreaterThanOrEqual(1);
      expect(Math.max(...ofAttempt)).toBeLessThanOrEqual(longestMs);
      expect(new Set(ofAttempt).size).toBeGreaterThan(1);
    }
  });

  it("fails with `conflict` after 16 attempts, or after `attemptsMax`", async () => {
    const { clock } = instantClock();
    for (const [options, attempts] of [[{ clock }, 16] as const, [{ clock, attemptsMax: 3 }, 3] as const]) {
      const counter = new ContendedCounter(100);
      const updating = updateWithRetry(counter.read, increment, counter.write, options);
      await expect(updating).rejects.toMatchObject({ code: "conflict" });
      expect(counter.readCount).toBe(attempts);
    }
  });

  it("returns the value of `onExhausted`, or fails with its error", async () => {
    const { clock } = instantClock();
    const { read, write } = new ContendedCounter(100);
    const options = { clock, attemptsMax: 2 };
    const onExhausted = () => "none";
    expect(await updateWithRetry(read, increment, write, { ...options, onExhausted })).toBe("none");
    const failing = async () => {
      throw new Error("busy");
    };
    const updating = updateWithRetry(read, increment, write, { ...options, onExhausted: failing });
    await expect(updating).rejects.toThrow("busy");
  });

  it("writes nothing and returns undefined if the change is undefined", async () => {
    const counter = new ContendedCounter(0);
    expect(await updateWithRetry(counter.read, () => undefined, counter.write)).toBeUndefined();
    expect(counter.revision).toBe(1);
  });

  it("does not retry errors of its functions", async () => {
    const counter = new ContendedCounter(0);
    const fail = async () => {
      throw new MemoryError("memory_full", "full");
    };
    await expect(updateWithRetry(fail, increment, counter.write)).rejects.toThrow("full");
    await expect(updateWithRetry(counter.read, fail, counter.write)).rejects.toThrow("full");
    await expect(updateWithRetry(counter.read, increment, fail)).rejects.toThrow("full");
    expect(counter.readCount).toBe(2);
  });
});
