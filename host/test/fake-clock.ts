import type { Clock } from "@membus/protocol";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Clock that only moves when the test advances it. */
export class FakeClock implements Clock {
  #now = 1_800_000_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + delayMs / 1_000, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances by `ms`, runs due timers in order, and lets their follow-up work run in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms / 1_000;
    for (let timer = this.#nextUntil(end); timer !== undefined; timer = this.#nextUntil(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await turn();
    }
    this.#now = end;
    await turn();
  }

  /** Advances second by second until `work` has settled. */
  async advanceUntil<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    for (await turn(); !isSettled; ) await this.advance(1_000);
    return work;
  }

  #nextUntil(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets all ready work run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
