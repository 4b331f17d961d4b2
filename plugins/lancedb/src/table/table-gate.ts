import pLimit from "p-limit";
import { RunningTasks } from "./running-tasks.js";

/**
 * Runs shared tasks of a table concurrently and exclusive tasks alone. Tasks start in the order of the calls.
 */
export class TableGate {
  /** A shared task keeps its turn until it has started, an exclusive task until it has ended. */
  readonly #turns = pLimit(1);
  readonly #running = new RunningTasks();

  async shared<T>(task: () => Promise<T>): Promise<T> {
    const { result } = await this.#turns(() => ({ result: this.#running.run(task) }));
    return result;
  }

  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#turns(async () => {
      await this.#running.settled();
      return task();
    });
  }
}
