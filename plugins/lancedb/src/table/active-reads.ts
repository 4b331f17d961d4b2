/** Tracks running reads of a table, which need the files of their version. */
export class ActiveReads {
  readonly #reads = new Set<Promise<unknown>>();

  run<T>(read: () => Promise<T>): Promise<T> {
    const result = read().finally(() => this.#reads.delete(result));
    this.#reads.add(result);
    return result;
  }

  /** Resolves when all reads that are running now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#reads]);
  }
}
