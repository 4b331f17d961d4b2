import { performance } from "node:perf_hooks";

/** Returns the milliseconds that the event loop was active, without idle time. */
function busyMs(): number {
  return performance.eventLoopUtilization().active;
}

/** Running work. */
export interface RunningTask<T> {
  readonly running: Promise<T>;
  /** Milliseconds that the synchronous part took. */
  readonly synchronousMs: number;
  /** Returns the total cost in milliseconds. Call it once, when the work has ended. */
  end(): number;
}

/**
 * Measures the cost of work on the event loop. The loop does not show which task is active, so active time is
 * divided equally among all running tasks. The synchronous part of a task is charged only to that task.
 */
export class ServiceClock {
  readonly #busyMs: () => number;
  #runningCount = 0;
  #lastMs: number;
  /** Milliseconds that a task would have been charged if it had run since the start. */
  #shareMs = 0;

  constructor(measure: () => number = busyMs) {
    this.#busyMs = measure;
    this.#lastMs = measure();
  }

  start<T>(work: () => Promise<T>): RunningTask<T> {
    this.#advance();
    const startedMs = this.#lastMs;
    this.#runningCount++;
    const startShareMs = this.#shareMs;
    const running = work();
    // Other tasks share only the time after the synchronous part.
    this.#lastMs = this.#busyMs();
    const synchronousMs = this.#lastMs - startedMs;
    const end = () => {
      this.#advance();
      this.#runningCount--;
      return synchronousMs + this.#shareMs - startShareMs;
    };
    return { running, synchronousMs, end };
  }

  #advance(): void {
    const now = this.#busyMs();
    this.#shareMs += (now - this.#lastMs) / Math.max(1, this.#runningCount);
    this.#lastMs = now;
  }
}
