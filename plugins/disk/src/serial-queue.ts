/**
 * Runs asynchronous tasks one after another, in the order of the calls. A failing task does not stop the
 * next.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
