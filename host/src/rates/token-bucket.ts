/**
 * So many a second, and what was saved up in one second at most. What is larger than that is let in once the bucket is full.
 * Times are Unix seconds.
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

  /** Milliseconds until there is enough for `amount`; 0: there is. */
  waitMs(amount: number, now: number): number {
    this.#fill(now);
    const missing = Math.min(amount, this.#perSecond) - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.#perSecond) * 1_000);
  }

  /** May leave less than nothing. */
  spend(amount: number): void {
    this.#tokens -= amount;
  }

  #fill(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#perSecond, this.#tokens + passed * this.#perSecond);
    this.#at = now;
  }
}
