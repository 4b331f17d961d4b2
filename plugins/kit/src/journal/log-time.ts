/** Longest time between two records that counts. */
const GAP_S_MAX = 1;

/**
 * Time that passed while a log was written. The hosts that wrote it one after another may have different clocks. Long gaps
 * and steps back therefore do not count. It is never more than a second per host ahead of the true time.
 */
export class LogTime {
  #elapsedS = 0;
  #at: number | undefined;

  get elapsedS(): number {
    return this.#elapsedS;
  }

  /** Returns the seconds from the first record to the next one. @param at time of the next record, by any clock. Unix seconds. */
  of(at: number): number {
    this.#elapsedS += Math.min(GAP_S_MAX, Math.max(0, at - (this.#at ?? at)));
    this.#at = at;
    return this.#elapsedS;
  }
}
