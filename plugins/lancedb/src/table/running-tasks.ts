/**
 * Tracks running tasks of a table. `settled` waits only for tasks that are running now. With `InFlightCounter`,
 * a steady stream of reads would keep it waiting.
 */
export class RunningTasks {
  readonly #tasks = new Set<Promise<unknown>>();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = task().finally(() => this.#tasks.delete(result));
    this.#tasks.add(result);
    return result;
  }

  /** Resolves when all tasks that are running now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#tasks]);
  }
}
