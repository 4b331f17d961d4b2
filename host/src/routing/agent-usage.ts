import { TokenBucket } from "../rates/index.js";

/** Refusals per second and agent that are answered (clause ERR-13), because replies cost time too. */
const REFUSALS_PER_SECOND = 1_000;
/** Seconds for which the messages of an agent are dropped if it keeps sending after that. */
const QUARANTINE_S = 1;
/** Milliseconds to wait after the first refusal: some requests end, and the host stays busy. */
const WAIT_MIN_MS = 100;
/**
 * Maximum milliseconds to wait. The wait doubles if the agent is refused again after it, so that requests that
 * were sent together do not lengthen it.
 */
const WAIT_MAX_MS = 1_600;
/** Refusals in a row after which an agent is persistent. */
const PERSISTENT_COUNT = 3;

/** Running and refused requests of one agent. Times are Unix seconds. */
export class AgentUsage {
  readonly #refusals: TokenBucket;
  #quarantinedUntil = 0;
  /** When the agent may send again, according to its refusals. */
  #waitUntil = 0;
  #waitMs = WAIT_MIN_MS;
  /** When the wait was set last. */
  #waitSetAt = 0;
  /** Refusals since the agent was admitted after a wait. */
  #refusedCount = 0;
  #count = 0;
  #bytes = 0;

  constructor(now: number) {
    this.#refusals = new TokenBucket(REFUSALS_PER_SECOND, now);
  }

  /** Number of running requests. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of running requests. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds or removes a running request. */
  add(sign: 1 | -1, bytes: number): void {
    this.#count += sign;
    this.#bytes += sign * bytes;
  }

  /** Returns whether the agent's messages are dropped now. Counts the message as one that did not wait. */
  isQuarantined(now: number): boolean {
    if (this.#quarantinedUntil <= now) return false;
    this.#wait(now, this.#waitMs);
    return true;
  }

  /** Counts a message of an agent that sends faster than the host reads. */
  noteOverflow(now: number): void {
    this.#wait(now, this.#waitMs);
  }

  /** Returns whether the agent has sent a message before it had waited as told by a refusal. */
  isImpatient(now: number): boolean {
    return now < this.#waitUntil;
  }

  /** Whether the agent was refused more than three times in a row. */
  get isPersistent(): boolean {
    return this.#refusedCount > PERSISTENT_COUNT;
  }

  /** Called when the agent has waited long enough and was admitted. */
  resetWait(): void {
    this.#refusedCount = 0;
  }

  /** Returns the milliseconds to wait after this refusal. */
  nextWaitMs(now: number): number {
    this.#refusedCount++;
    if (this.#refusedCount === 1) this.#waitMs = WAIT_MIN_MS;
    else if (now < this.#waitSetAt + this.#waitMs / 1_000) return this.#waitMs;
    else this.#waitMs = Math.min(WAIT_MAX_MS, 2 * this.#waitMs);
    this.#waitSetAt = now;
    return this.#waitMs;
  }

  /** Counts a refusal. Returns false if it must not be answered. */
  refuse(now: number, waitMs: number): boolean {
    this.#wait(now, waitMs);
    if (this.#refusals.waitMs(1, now) > 0) {
      this.#quarantinedUntil = now + QUARANTINE_S;
      return false;
    }
    this.#refusals.spend(1);
    return true;
  }

  #wait(now: number, waitMs: number): void {
    this.#waitUntil = Math.max(this.#waitUntil, now + waitMs / 1_000);
  }
}
