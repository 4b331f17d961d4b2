import type { Clock } from "@membus/protocol";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until it is told otherwise. */
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

  /** Goes on by `ms`, running what is due in its order, with time in between for what that starts. */
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

  /** Goes on, second by second, until `work` has settled. */
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

/** Lets everything run that is ready to. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
