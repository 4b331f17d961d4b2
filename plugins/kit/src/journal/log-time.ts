/** Longest time between two records that counts. */
const GAP_S_MAX = 1;
/** Longest time for which an accepted record waits, for example for an embedder. Later ones may be logged before it. */
const LATE_S_MAX = 120;

/**
 * Time that passed while a log was written. The hosts that wrote it one after another may have different clocks. Long gaps
 * and steps back therefore do not count. It is never more than a second per host ahead of the true time.
 */
export class LogTime {
  #elapsedS = 0;
  /** Latest time by the present clock. */
  #at: number | undefined;

  get elapsedS(): number {
    return this.#elapsedS;
  }

  /** Returns the seconds from the first record to the next one. @param at time of the next record, by any clock. Unix seconds. */
  of(at: number): number {
    const step = at - (this.#at ?? at);
    if (step < 0 && step >= -LATE_S_MAX) return this.#elapsedS;
    this.#elapsedS += Math.min(GAP_S_MAX, Math.max(0, step));
    this.#at = at;
    return this.#elapsedS;
  }
}
