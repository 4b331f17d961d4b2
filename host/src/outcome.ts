import { type Clock, isMemoryError, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";

/**
 * Result of an operation. A promise of an `Outcome` never rejects, so it can be shared, raced and left
 * unawaited.
 */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: MemoryError };

export function success<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failure(error: MemoryError): Outcome<never> {
  return { ok: false, error };
}

/**
 * Returns a `MemoryError` unchanged. Any other error is logged and not disclosed to the client (clause
 * ERR-3).
 */
export function asMemoryError(error: unknown, logger: Logger): MemoryError {
  if (isMemoryError(error)) return error;
  logger.error({ err: error }, "request failed unexpectedly");
  return new MemoryError("runtime_error", "internal error of the host. Its log has the cause");
}

/** Maximum delay in milliseconds until a passed deadline is noticed. */
const SWEEP_MS = 10;

interface Waiter {
  readonly at: number;
  fail(error: MemoryError): void;
}

/**
 * Stops waiting for work that takes too long. One coarse timer checks all deadlines, because a timer per
 * request costs more than most requests.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #armed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the outcome of `work`, or `timeout` once `at` (Unix seconds) has passed. The work continues. */
  race<T>(work: Promise<Outcome<T>>, at: number): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const waiter: Waiter = { at, fail: (error) => resolve(failure(error)) };
      this.#waiters.add(waiter);
      this.#arm();
      void work.then((outcome) => {
        this.#waiters.delete(waiter);
        resolve(outcome);
      });
    });
  }

  /**
   * Like `race`, but also returns `timeout` if the outcome arrives after `at`, because work that blocks the
   * event loop also delays the timer.
   */
  async inTime<T>(work: Promise<Outcome<T>>, at: number): Promise<Outcome<T>> {
    const outcome = await this.race(work, at);
    const isLate = this.#clock.now() >= at && (outcome.ok || outcome.error.code !== "timeout");
    return isLate ? failure(deadlineError()) : outcome;
  }

  /** Ends all waiting with `error`. */
  failAll(error: MemoryError): void {
    for (const waiter of this.#waiters) waiter.fail(error);
    this.#waiters.clear();
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#clock.after(SWEEP_MS, () => this.#sweep(), { background: true });
  }

  #sweep(): void {
    this.#armed = false;
    const now = this.#clock.now();
    for (const waiter of this.#waiters) {
      if (waiter.at > now) continue;
      this.#waiters.delete(waiter);
      waiter.fail(deadlineError());
    }
    if (this.#waiters.size > 0) this.#arm();
  }
}

function deadlineError(): MemoryError {
  return new MemoryError(
    "timeout",
    "the deadline passed. The request may still take effect. Retry it to get its result",
  );
}

/** Returns the `timeout` for a request that was never started. */
export function startTimeoutError(): MemoryError {
  return new MemoryError("timeout", "the deadline passed before the request was started. Nothing was done");
}
