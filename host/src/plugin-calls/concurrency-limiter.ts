import { type Clock, InFlightCounter, MemoryError } from "@membus/protocol";
import { startTimeoutError } from "../outcome.js";

/** Long enough for a full queue to drain a little, short enough to keep the tier busy. */
export const RETRY_AFTER_MS = 200;

export interface ConcurrencyLimits {
  /** Maximum concurrent calls. */
  readonly concurrency: number;
  /** Maximum queued calls. */
  readonly queueCountMax: number;
}

/** Caller group and time limit of a call. */
export interface CallOptions {
  /** Unix seconds after which the call is not started. Absent: no limit. */
  readonly expiresAt?: number;
  /** Group that the call belongs to. Groups take turns. */
  readonly group?: string;
}

interface WaitingCall {
  readonly expiresAt: number;
  readonly group: string;
  start(): void;
  refuse(error: MemoryError): void;
}

/**
 * Limits concurrent calls. The next call is the first of the group with the fewest running calls. A call
 * occupies its slot until it settles, even if its caller has stopped waiting, so that the number of hanging
 * calls is bounded.
 *
 * This is no library because p-limit starts calls in the order of arrival and never at once. With p-queue a call
 * takes twice the time, and aborting it frees the slot while the call is running.
 */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  readonly #clock: Clock;
  #waiting: WaitingCall[] = [];
  readonly #running = new InFlightCounter();
  readonly #runningByGroup = new Map<string, number>();
  #closed = false;

  constructor(limits: ConcurrencyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get runningCount(): number {
    return this.#running.count;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Starts `call` now if a slot is free, otherwise once one becomes free.
   * @throws {MemoryError} `overloaded` if the queue is full, `timeout` if `expiresAt` passed in the queue,
   * `unavailable` after `close`, and any error of `call`.
   */
  run<T>(
    call: () => Promise<T>,
    { expiresAt = Number.POSITIVE_INFINITY, group = "" }: CallOptions = {},
  ): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#running.count < this.#limits.concurrency) return this.#start(call, group);
    if (this.#waiting.length >= this.#limits.queueCountMax) this.#refuseExpired();
    if (this.#waiting.length >= this.#limits.queueCountMax) return Promise.reject(fullError());
    return new Promise((resolve, reject) => {
      const start = () => resolve(this.#start(call, group));
      this.#waiting.push({ expiresAt, group, start, refuse: reject });
    });
  }

  /** Resolves when all calls have settled. */
  idle(): Promise<void> {
    return this.#running.idle();
  }

  /** Refuses queued and new calls. Running calls continue. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.refuse(closedError());
  }

  #start<T>(call: () => Promise<T>, group: string): Promise<T> {
    this.#running.begin();
    this.#countGroup(group, 1);
    // The executor converts a synchronous throw or a plain return value into a promise.
    const running = new Promise<T>((resolve) => resolve(call()));
    const end = () => {
      this.#countGroup(group, -1);
      if (this.#waiting.length > 0) this.#refuseExpired();
      this.#takeNext()?.start();
      this.#running.end();
    };
    running.then(end, end);
    return running;
  }

  #takeNext(): WaitingCall | undefined {
    let first = 0;
    for (let at = 1; at < this.#waiting.length; at++) {
      if (this.#countOf(at) < this.#countOf(first)) first = at;
    }
    return this.#waiting.splice(first, 1)[0];
  }

  #countOf(at: number): number {
    return this.#runningByGroup.get(this.#waiting[at]!.group) ?? 0;
  }

  #countGroup(group: string, change: 1 | -1): void {
    const groupCount = (this.#runningByGroup.get(group) ?? 0) + change;
    if (groupCount > 0) this.#runningByGroup.set(group, groupCount);
    else this.#runningByGroup.delete(group);
  }

  #refuseExpired(): void {
    const now = this.#clock.now();
    const expired = this.#waiting.filter((waiting) => waiting.expiresAt <= now);
    if (expired.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting.expiresAt > now);
    for (const waiting of expired) waiting.refuse(startTimeoutError());
  }
}

function fullError(): MemoryError {
  return new MemoryError("overloaded", "the request queue of this tier is full. Retry later", {
    retry_after_ms: RETRY_AFTER_MS,
  });
}

function closedError(): MemoryError {
  return new MemoryError("unavailable", "the host is shutting down. Retry later");
}
