/** Time as the protocol counts it. Everything that waits or stamps takes one of these, so tests can drive it. */
export interface Clock {
  /** Unix seconds, float, never below the value returned before. */
  now(): number;
  /**
   * Calls `run` once after `delayMs`; the returned function cancels it. A timer in the background, unlike one that
   * somebody waits for, does not keep the process alive.
   */
  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): () => void;
}

let latest = 0;

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now(): number {
    latest = Math.max(latest, (performance.timeOrigin + performance.now()) / 1000);
    return latest;
  },
  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): () => void {
    const timer = setTimeout(run, delayMs);
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
});

/** Resolves after `delayMs` on `clock`. */
export function delay(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** What `work` comes to, or undefined when it takes longer than `timeoutMs`. It is not stopped then. */
export async function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
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

/** What `work` comes to, or a rejection with the signal's reason as soon as that is aborted. It is not stopped then. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(signal.reason as Error);
    if (signal.aborted) refuse();
    signal.addEventListener("abort", refuse, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", refuse));
  });
}
