import type { OnProgress } from "../terminal/task-progress.js";

/** Counts the bytes of a task with several files. */
export class ByteProgress {
  readonly #onProgress: OnProgress;
  readonly #total: number;
  #done = 0;

  constructor(total: number, onProgress: OnProgress) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  /** Adds bytes of a part, which the bar names. */
  add(count: number, part: string): void {
    this.#done += count;
    this.#onProgress(this.#done, this.#total, part);
  }
}
