import { performance } from "node:perf_hooks";

/** Milliseconds that the event loop has worked, without those in which it waited. */
function busyMs(): number {
  return performance.eventLoopUtilization().active;
}

/** Work under way. */
export interface Begun<T> {
  readonly running: Promise<T>;
  /** What it took when it began, milliseconds. */
  readonly atOnceMs: number;
  /** To be called once, when it has ended: what it cost in all, milliseconds. */
  end(): number;
}

/**
 * Measures what work costs on the event loop, on which nobody sees whose turn it is: what is worked between its stretches belongs
 * in equal parts to all that is under way. What it does at once, when it begins, is its own.
 */
export class ServiceClock {
  readonly #busyMs: () => number;
  #runningCount = 0;
  #lastMs: number;
  /** What each piece of work would have got that was under way all the time. */
  #shareMs = 0;

  constructor(measure: () => number = busyMs) {
    this.#busyMs = measure;
    this.#lastMs = measure();
  }

  begin<T>(work: () => Promise<T>): Begun<T> {
    this.#advance();
    const startedMs = this.#lastMs;
    this.#runningCount++;
    const begunShareMs = this.#shareMs;
    const running = work();
    // Others share what comes after, not what this took for itself.
    this.#lastMs = this.#busyMs();
    const atOnceMs = this.#lastMs - startedMs;
    const end = () => {
      this.#advance();
      this.#runningCount--;
      return atOnceMs + this.#shareMs - begunShareMs;
    };
    return { running, atOnceMs, end };
  }

  #advance(): void {
    const now = this.#busyMs();
    this.#shareMs += (now - this.#lastMs) / Math.max(1, this.#runningCount);
    this.#lastMs = now;
  }
}
