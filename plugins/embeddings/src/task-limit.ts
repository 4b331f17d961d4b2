/** Runs at most `countMax` tasks concurrently, in order of arrival. Callers limit the queue. */
export class TaskLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(countMax: number) {
    this.#free = countMax;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
