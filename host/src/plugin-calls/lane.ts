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

/** Whose a call is, and how long it may wait. */
export interface CallTerms {
  /** Unix seconds; it never starts after them. Absent: any time. */
  readonly expiresAt?: number;
  /** Whose calls take turns with those of others. */
  readonly holder?: string;
}

interface WaitingCall {
  readonly expiresAt: number;
  readonly holder: string;
  start(): void;
  refuse(error: MemoryError): void;
}

/**
 * Runs calls, so many at once: next is the first of whoever has the fewest under way. A call keeps its place until it has really settled, also when
 * nobody waits for it any more: what hangs is bounded, and never overtaken by twice as much of the same.
 */
export class Lane {
  readonly #limits: LaneLimits;
  readonly #clock: Clock;
  #waiting: WaitingCall[] = [];
  readonly #whenIdle: (() => void)[] = [];
  readonly #runningBy = new Map<string, number>();
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
   * Starts `call` now where there is a place, else when there is one.
   * @throws {MemoryError} `overloaded` when the queue is full, `timeout` when its turn came too late, `unavailable`
   * after `close`; and what `call` throws.
   */
  run<T>(
    call: () => Promise<T>,
    { expiresAt = Number.POSITIVE_INFINITY, holder = "" }: CallTerms = {},
  ): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#running < this.#limits.concurrency) return this.#start(call, holder);
    if (this.#waiting.length >= this.#limits.queueCountMax) this.#refuseExpired();
    if (this.#waiting.length >= this.#limits.queueCountMax) return Promise.reject(fullError());
    return new Promise((resolve, reject) => {
      const start = () => resolve(this.#start(call, holder));
      this.#waiting.push({ expiresAt, holder, start, refuse: reject });
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

  #start<T>(call: () => Promise<T>, holder: string): Promise<T> {
    this.#count(holder, 1);
    // The executor turns a synchronous throw, and an answer that is no promise, into a promise.
    const running = new Promise<T>((resolve) => resolve(call()));
    const end = () => {
      this.#count(holder, -1);
      this.#next();
    };
    running.then(end, end);
    return running;
  }

  #next(): void {
    if (this.#waiting.length > 0) this.#refuseExpired();
    this.#takeNext()?.start();
    if (this.#running > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #takeNext(): WaitingCall | undefined {
    let first = 0;
    for (let at = 1; at < this.#waiting.length; at++) {
      if (this.#countOf(at) < this.#countOf(first)) first = at;
    }
    return this.#waiting.splice(first, 1)[0];
  }

  #countOf(at: number): number {
    return this.#runningBy.get(this.#waiting[at]!.holder) ?? 0;
  }

  #count(holder: string, change: 1 | -1): void {
    this.#running += change;
    const ofHolder = (this.#runningBy.get(holder) ?? 0) + change;
    if (ofHolder > 0) this.#runningBy.set(holder, ofHolder);
    else this.#runningBy.delete(holder);
  }

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
