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

  /** Begins a section of known size. It may count too few or too many bytes before its end. */
  section(bytes: number): SectionProgress {
    const end = this.#done + bytes;
    return {
      add: (count, part) => this.add(Math.min(count, end - this.#done), part),
      end: (part) => this.add(end - this.#done, part),
    };
  }
}

/** Counts the bytes of a section, such as a folder. */
export interface SectionProgress {
  add(count: number, part: string): void;
  /** Counts the bytes that were not read, such as old files. */
  end(part: string): void;
}
