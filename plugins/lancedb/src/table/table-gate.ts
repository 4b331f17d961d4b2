/**
 * Runs shared tasks of a table concurrently and exclusive tasks alone. Tasks start in the order of the calls.
 */
export class TableGate {
  #lastExclusive: Promise<unknown> = Promise.resolve();
  #sharedSince: Promise<unknown> = Promise.resolve();

  shared<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#lastExclusive.then(task);
    this.#sharedSince = Promise.allSettled([this.#sharedSince, result]);
    return result;
  }

  exclusive<T>(task: () => Promise<T>): Promise<T> {
    const before = Promise.all([this.#lastExclusive, this.#sharedSince]);
    const result = before.then(task);
    this.#lastExclusive = result.catch(() => undefined);
    this.#sharedSince = Promise.resolve();
    return result;
  }
}
