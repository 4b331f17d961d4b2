/** The reads of a table that are under way: they need the files of the version that they began with. */
export class ActiveReads {
  readonly #reads = new Set<Promise<unknown>>();

  run<T>(read: () => Promise<T>): Promise<T> {
    const result = read().finally(() => this.#reads.delete(result));
    this.#reads.add(result);
    return result;
  }

  /** Resolves when every read that is under way now has ended; later ones are not waited for. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#reads]);
  }
}
