import { type Clock, MemoryError } from "@membus/protocol";
import { turnTooLate } from "../outcome.js";

/** Long enough for a full queue to move on, short enough not to leave it empty. */
export const RETRY_AFTER_MS = 200;

export interface LaneLimits {
  /** Calls under way at once. */
  readonly concurrency: number;
  /** Calls that wait for a place. */
  readonly queueCountMax: number;
}

interface WaitingCall {
  readonly expiresAt: number;
  start(): void;
  refuse(error: MemoryError): void;
}

/**
 * Runs calls in the order given, so many at once. A call keeps its place until it has really settled, also when
 * nobody waits for it any more: what hangs is bounded, and never overtaken by twice as much of the same.
 */
export class Lane {
  readonly #limits: LaneLimits;
  readonly #clock: Clock;
  #waiting: WaitingCall[] = [];
  readonly #whenIdle: (() => void)[] = [];
  #running = 0;
  #closed = false;

  constructor(limits: LaneLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get runningCount(): number {
    return this.#running;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Starts `call` now where there is a place, else when there is one; never after `expiresAt` (Unix seconds).
   * @throws {MemoryError} `overloaded` when the queue is full, `timeout` when its turn came too late, `unavailable`
   * after `close`; and what `call` throws.
   */
  run<T>(call: () => Promise<T>, expiresAt = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#running < this.#limits.concurrency) return this.#start(call);
    if (this.#waiting.length >= this.#limits.queueCountMax) this.#refuseExpired();
    if (this.#waiting.length >= this.#limits.queueCountMax) return Promise.reject(fullError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ expiresAt, start: () => resolve(this.#start(call)), refuse: reject });
    });
  }

  /** Resolves when every call has really settled. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  /** Refuses what waits, and whatever comes. Calls under way are left to end. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.refuse(closedError());
  }

  #start<T>(call: () => Promise<T>): Promise<T> {
    this.#running++;
    // The executor turns a synchronous throw, and an answer that is no promise, into a promise.
    const running = new Promise<T>((resolve) => resolve(call()));
    running.then(this.#next, this.#next);
    return running;
  }

  readonly #next = (): void => {
    this.#running--;
    if (this.#waiting.length > 0) this.#refuseExpired();
    this.#waiting.shift()?.start();
    if (this.#running > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  };

  #refuseExpired(): void {
    const now = this.#clock.now();
    const expired = this.#waiting.filter((waiting) => waiting.expiresAt <= now);
    if (expired.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting.expiresAt > now);
    for (const waiting of expired) waiting.refuse(turnTooLate());
  }
}

function fullError(): MemoryError {
  return new MemoryError("overloaded", "too many requests wait for this tier", {
    retry_after_ms: RETRY_AFTER_MS,
  });
}

function closedError(): MemoryError {
  return new MemoryError("unavailable", "the host is stopping");
}
