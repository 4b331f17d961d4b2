/** Requests that wait for an embedder. Background work lets them go first. */
export class Foreground {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Counts while `work` is under way. */
  async run<T>(work: Promise<T>): Promise<T> {
    this.#count++;
    try {
      return await work;
    } finally {
      if (--this.#count === 0) for (const go of this.#waiting.splice(0)) go();
    }
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
