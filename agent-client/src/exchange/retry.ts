import { randomInt } from "node:crypto";
import { type Clock, isMemoryError, MemoryError } from "@membus/protocol";

const PAUSE_FIRST_MS = 50;
const PAUSE_MAX_MS = 2_000;

export interface RetryPolicy {
  /** Maximum time in milliseconds between the first and the last attempt. */
  readonly retryTimeoutMs: number;
  /** Signals that end a pause and all further attempts. */
  readonly stopSignals: readonly AbortSignal[];
}

/**
 * Calls `attempt` until it succeeds, fails with a non-retryable error, or no time is left. Pauses double from
 * 50 ms to 2 s, reduced by up to half at random, so that clients do not retry simultaneously.
 * `retry_after_ms` of the host is added.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { retryTimeoutMs, stopSignals }: RetryPolicy,
  clock: Clock,
): Promise<T> {
  const startedAt = clock.now();
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error) || stopSignals.some(({ aborted }) => aborted)) throw error;
      const pauseMs = hostPauseMs(error) + backoffMs(attempts);
      const elapsedMs = (clock.now() - startedAt) * 1000;
      if (elapsedMs + pauseMs > retryTimeoutMs) throw withAttempts(error, attempts);
      await pause(pauseMs, stopSignals, clock);
      if (stopSignals.some(({ aborted }) => aborted)) throw withAttempts(error, attempts);
    }
  }
}

function isRetryable(error: unknown): error is MemoryError {
  return isMemoryError(error) && error.retryable && error.detail.reason !== "closed";
}

function hostPauseMs(error: MemoryError): number {
  const hostMs = error.detail.retry_after_ms;
  return typeof hostMs === "number" && hostMs > 0 ? hostMs : 0;
}

function backoffMs(attempts: number): number {
  const fullMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** (attempts - 1));
  return fullMs - randomInt(fullMs / 2);
}

function withAttempts(error: MemoryError, attempts: number): MemoryError {
  if (attempts === 1) return error;
  const message = `${error.message} (${attempts} attempts)`;
  return new MemoryError(error.code, message, { ...error.detail, attempts }, { cause: error });
}

function pause(pauseMs: number, stopSignals: readonly AbortSignal[], clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      for (const stop of stopSignals) stop.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(pauseMs, end);
    for (const stop of stopSignals) stop.addEventListener("abort", end);
  });
}
