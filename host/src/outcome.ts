import { type Clock, isMemoryError, type Logger, MemoryError } from "@membus/protocol";

/** How something ended. A promise of one never rejects, so it may be shared, raced and left alone. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: MemoryError };

export function success<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failure(error: MemoryError): Outcome<never> {
  return { ok: false, error };
}

/** A `MemoryError` as it is; anything else is logged with its cause, and told to nobody (clause ERR-3). */
export function asMemoryError(error: unknown, logger: Logger): MemoryError {
  if (isMemoryError(error)) return error;
  logger.error({ err: error }, "a request failed unexpectedly");
  return new MemoryError("runtime_error", "the host failed");
}

/** How late a passed deadline may be noticed. */
const SWEEP_MS = 10;

interface Waiter {
  readonly at: number;
  fail(error: MemoryError): void;
}

/**
 * Ends the waiting for work that takes too long. One coarse timer looks at all deadlines: a timer per request costs
 * more than most requests.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #armed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The outcome of `work`, or `timeout` once `at` (Unix seconds) has passed. The work itself goes on. */
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
   * The same, and `timeout` for an outcome that comes when `at` has passed: work that keeps the thread keeps the timer from
   * running, too.
   */
  async inTime<T>(work: Promise<Outcome<T>>, at: number): Promise<Outcome<T>> {
    const outcome = await this.race(work, at);
    const isLate = this.#clock.now() >= at && (outcome.ok || outcome.error.code !== "timeout");
    return isLate ? failure(passedError()) : outcome;
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
      waiter.fail(passedError());
    }
    if (this.#waiters.size > 0) this.#arm();
  }
}

function passedError(): MemoryError {
  return new MemoryError("timeout", "the deadline passed; the effect may still happen, a retry tells");
}

/** Of what never began. */
export function turnTooLate(): MemoryError {
  return new MemoryError("timeout", "the deadline passed before the request's turn came; nothing was done");
}
