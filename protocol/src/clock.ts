/**
 * Source of time and timers. Everything that waits or reads the time takes a `Clock`, so that tests can
 * control it.
 */
export interface Clock {
  /** Returns Unix seconds as a float. The value never decreases. */
  now(): number;
  /**
   * Calls `run` once after `delayMs` and returns a function that cancels the timer. A `background` timer does
   * not keep the process alive.
   */
  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): () => void;
}

let originMs = 0;

/**
 * The clock of the machine. It follows the machine when that was suspended or its clock was set forward. If
 * the machine's clock is set back, it stays ahead until the process ends, and seconds keep their length.
 */
export const systemClock: Clock = Object.freeze({
  now(): number {
    // Read in this order: a pause in between must not set the clock ahead.
    const machineMs = Date.now();
    const elapsedMs = performance.now();
    originMs = Math.max(originMs, performance.timeOrigin, machineMs - elapsedMs);
    return (originMs + elapsedMs) / 1000;
  },
  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): () => void {
    const timer = setTimeout(run, delayMs);
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
});

/** Measures durations for leases. No change of the machine's time affects it. */
export interface MonotonicClock extends Pick<Clock, "after"> {
  /** Returns milliseconds since an arbitrary moment as a float. */
  elapsedMs(): number;
}

/** The monotonic clock of the machine. On most systems it stands still while the machine is suspended. */
export const monotonicClock: MonotonicClock = Object.freeze({
  elapsedMs: () => performance.now(),
  after: systemClock.after,
});

/** Resolves after `delayMs` on `clock`, or rejects with the signal's reason as soon as the signal is aborted. */
export async function delay(
  clock: Pick<Clock, "after">,
  delayMs: number,
  signal?: AbortSignal,
): Promise<void> {
  let cancel: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(delayMs, resolve);
  });
  try {
    await (signal === undefined ? passed : abortable(passed, signal));
  } finally {
    cancel();
  }
}

/** Returns the result of `work`, or undefined after `timeoutMs`. A timeout does not stop `work`. */
export async function withTimeout<T>(
  clock: Pick<Clock, "after">,
  timeoutMs: number,
  work: Promise<T>,
): Promise<T | undefined> {
  let cancel: () => void = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(timeoutMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/**
 * Returns the result of `work`, or rejects with the signal's reason as soon as the signal is aborted.
 * Aborting does not stop `work`.
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const rejectAborted = () => reject(signal.reason as Error);
    if (signal.aborted) rejectAborted();
    signal.addEventListener("abort", rejectAborted, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", rejectAborted));
  });
}
