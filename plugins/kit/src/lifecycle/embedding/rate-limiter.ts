import { type Clock, isMemoryError } from "@membus/protocol";

/** Work that may run ahead of the rate without waiting. Seconds. */
const BURST_S = 1;
/** Limit of a delay that a provider may request. Milliseconds. */
const PAUSE_MS_MAX = 600_000;

/** Limits the rate of work. */
export class RateLimiter {
  /** Time up to which the rate allows the work so far. Unix seconds. */
  #paidTo = 0;

  constructor(
    readonly clock: Clock,
    readonly perSecondMax: number,
  ) {}

  /** Records `count` units of work and returns the delay before the next. Milliseconds. */
  delayAfter(count: number): number {
    const now = this.clock.now();
    this.#paidTo = Math.max(this.#paidTo, now - BURST_S) + count / this.perSecondMax;
    return Math.max(0, (this.#paidTo - now) * 1_000);
  }
}

/** Resolves after `delayMs`, or as soon as the signal is aborted. Does not keep the process alive. */
export function waitUnlessAborted(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end, { background: true });
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Returns the delay that a provider or a full log requested, or 0 without a request. Milliseconds. */
export function pauseMsOf(error: unknown): number {
  const requestedMs = isMemoryError(error) ? error.detail.retry_after_ms : undefined;
  return typeof requestedMs === "number" ? Math.min(requestedMs, PAUSE_MS_MAX) : 0;
}
