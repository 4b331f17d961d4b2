/**
 * Counts work in flight, so that a shutdown can wait until none is left. This is no library because `onIdle` of
 * p-queue counts only functions that it runs, at 1 µs or more per call. The host's requests end elsewhere.
 */
export class InFlightCounter {
  #count = 0;
  readonly #whenIdle: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  /** Ends work that `begin` counted. */
  end(): void {
    this.#count--;
    if (this.#count === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Counts `work` until it settles. Settles like `work`. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }

  /** Resolves when no work is in flight, including work that begins before then. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }
}
