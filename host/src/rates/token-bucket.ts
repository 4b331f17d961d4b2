/**
 * Token bucket that refills at `perSecond` and holds at most one second's worth. A larger amount is admitted
 * once the bucket is full. Times are Unix seconds.
 */
export class TokenBucket {
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
    this.#at = now;
  }

  /** Returns the milliseconds until `amount` is available, 0 if it is available now. */
  waitMs(amount: number, now: number): number {
    this.#fill(now);
    const missing = Math.min(amount, this.#perSecond) - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.#perSecond) * 1_000);
  }

  /** May make the balance negative. */
  spend(amount: number): void {
    this.#tokens -= amount;
  }

  #fill(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#perSecond, this.#tokens + passed * this.#perSecond);
    this.#at = now;
  }
}
