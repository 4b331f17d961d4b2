import { systemClock } from "@membus/protocol";
import { ProgressBar } from "./progress-bar.js";

/** Receives the progress of a task, in the unit of its total. */
export type OnProgress = (done: number, total: number, note: string) => void;

/**
 * Runs a task with a progress bar. The bar begins once the task knows its total, and again for another total
 * or for less than before.
 */
export async function withProgressBar<T>(
  formatRate: (perS: number) => string,
  task: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  let bar: ProgressBar | undefined;
  let before = 0;
  try {
    return await task((done, total, note) => {
      if (bar?.total !== total || done < before) {
        bar?.end();
        bar = new ProgressBar(total, { clock: systemClock, formatRate });
      }
      before = done;
      bar.draw(done, note);
    });
  } finally {
    bar?.end();
  }
}
