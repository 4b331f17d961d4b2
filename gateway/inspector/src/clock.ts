/** Calls `run` once after `delayMs` milliseconds. @returns a function that cancels the call. */
export function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

/** Returns Unix seconds. */
export function now(): number {
  return Date.now() / 1_000;
}
