import { type Clock, systemClock } from "@membus/protocol";

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

/** The machine's time, which a check can move forward: timers that are due then run at once. */
export class ShiftingClock implements Clock {
  readonly #timers = new Map<Timer, () => void>();
  #offsetSeconds = 0;

  now(): number {
    return systemClock.now() + this.#offsetSeconds;
  }

  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): () => void {
    const timer: Timer = { dueAt: this.now() + delayMs / 1_000, run: () => this.#fire(timer, run) };
    this.#timers.set(timer, systemClock.after(delayMs, timer.run, options));
    return () => this.#cancel(timer);
  }

  advance(seconds: number): void {
    this.#offsetSeconds += seconds;
    const due = [...this.#timers.keys()].filter(({ dueAt }) => dueAt <= this.now());
    for (const timer of due.sort((a, b) => a.dueAt - b.dueAt)) timer.run();
  }

  #fire(timer: Timer, run: () => void): void {
    if (this.#cancel(timer)) run();
  }

  #cancel(timer: Timer): boolean {
    this.#timers.get(timer)?.();
    return this.#timers.delete(timer);
  }
}
