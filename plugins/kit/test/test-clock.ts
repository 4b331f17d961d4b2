import type { Clock } from "@membus/protocol";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until `advance`. */
export class TestClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  /** Unix seconds. */
  constructor(now = 1_800_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + delayMs / 1000, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Returns another clock with the same time, without the timers. */
  fork(): TestClock {
    return new TestClock(this.#now);
  }

  /** Advances the time, and runs due timers, earliest first. */
  advance(seconds: number): void {
    const end = this.#now + seconds;
    for (let due = this.#due(end); due !== undefined; due = this.#due(end)) {
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }

  #due(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}
