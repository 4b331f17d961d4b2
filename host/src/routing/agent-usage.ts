import { TokenBucket } from "../rates/index.js";

/** Refusals per second and agent that are answered (clause ERR-13), because replies cost time too. */
const REFUSALS_PER_SECOND = 1_000;
/** Seconds for which the messages of an agent are dropped if it keeps sending after that. */
const QUARANTINE_S = 1;
/** Milliseconds to wait after the first refusal: some requests end, and the host stays busy. */
const WAIT_MIN_MS = 100;
/** Milliseconds to wait after several refusals in a row. The wait doubles with each. */
const WAIT_MAX_MS = 1_600;

/** Running and refused requests of one agent. Times are Unix seconds. */
export class AgentUsage {
  readonly #refusals: TokenBucket;
  #quarantinedUntil = 0;
  /** When the agent may send again, according to its refusals. */
  #waitUntil = 0;
  #waitMs = WAIT_MIN_MS;
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
    return this.#waitMs === WAIT_MAX_MS;
  }

  /** Called when the agent has waited long enough and was admitted. */
  resetWait(): void {
    this.#waitMs = WAIT_MIN_MS;
  }

  /** Returns the milliseconds to wait after this refusal. */
  nextWaitMs(): number {
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(WAIT_MAX_MS, 2 * waitMs);
    return waitMs;
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
