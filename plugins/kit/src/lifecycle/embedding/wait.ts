import type { Clock } from "@membus/protocol";

/** Resolves after `delayMs`, or as soon as the signal is aborted. Keeps no process alive. */
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
