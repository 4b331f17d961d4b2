import { Fifo } from "./fifo.js";

/** A step over so many rows takes milliseconds. */
const LARGE_ROWS = 500;

interface Step {
  readonly rowCount: number;
  run(): void;
}

/** Runs steps in the order of the calls: at once, but for large ones, of which one runs in a turn of the event loop. */
export class PacedSteps {
  readonly #waiting = new Fifo<Step>();
  #hadLarge = false;

  /** @returns undefined for a step that has run by now, else when it has; rejects with what it throws. */
  run(rowCount: number, run: () => void): Promise<void> | undefined {
    if (this.#waiting.first === undefined && this.#mayRun(rowCount)) return this.#take({ rowCount, run });
    return new Promise((resolve, reject) => {
      const settle = () => {
        try {
          resolve(run());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ rowCount, run: settle });
    });
  }

  #mayRun(rowCount: number): boolean {
    return rowCount < LARGE_ROWS || !this.#hadLarge;
  }

  #take({ rowCount, run }: Step): undefined {
    if (rowCount >= LARGE_ROWS) {
      this.#hadLarge = true;
      setImmediate(() => this.#beginTurn());
    }
    run();
  }

  /** A step stays the first until it has run, so that none passes it. */
  #beginTurn(): void {
    this.#hadLarge = false;
    for (let step = this.#waiting.first; step !== undefined; step = this.#waiting.first) {
      if (!this.#mayRun(step.rowCount)) return;
      this.#take(step);
      this.#waiting.shift();
    }
  }
}
