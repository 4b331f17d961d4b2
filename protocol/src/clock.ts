/** Time as the protocol counts it. Everything that waits or stamps takes one of these, so tests can drive it. */
export interface Clock {
  /** Unix seconds, float, never below the value returned before. */
  now(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. The timer never keeps a process alive. */
  after(delayMs: number, run: () => void): () => void;
}

let latest = 0;

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now(): number {
    latest = Math.max(latest, (performance.timeOrigin + performance.now()) / 1000);
    return latest;
  },
  after(delayMs: number, run: () => void): () => void {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
});

/** Resolves after `delayMs` on `clock`. Nothing else keeps the process alive for it. */
export function delay(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
