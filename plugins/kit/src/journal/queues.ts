/** Number of removed places after which the array is trimmed. */
const PASSED_MAX = 1_024;

/** A first-in, first-out queue. Each step takes constant time on average. */
export class Fifo<T> {
  #values: (T | undefined)[] = [];
  #passedCount = 0;

  get first(): T | undefined {
    return this.#values[this.#passedCount];
  }

  push(value: T): void {
    this.#values.push(value);
  }

  shift(): void {
    if (this.#passedCount === this.#values.length) return;
    this.#values[this.#passedCount++] = undefined;
    if (this.#passedCount < Math.max(PASSED_MAX, this.#values.length / 2)) return;
    this.#values = this.#values.slice(this.#passedCount);
    this.#passedCount = 0;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#passedCount; at < this.#values.length; at++) yield this.#values[at]!;
  }
}

/** Steps with fewer rows are not counted, because they take well under a millisecond. */
const FEW_ROWS = 16;
/** Limit of the rows per turn of the event loop, about ten milliseconds. Above it no further step starts. */
const ROWS_PER_TURN = 1_000;

interface Step {
  readonly rowCount: number;
  run(): void;
}

/** Runs steps in call order: immediately, unless the steps of this turn had many rows or other steps wait. */
export class PacedSteps {
  readonly #waiting = new Fifo<Step>();
  /** Rows of the counted steps of this turn. */
  #rowCount = 0;

  /**
   * Runs or queues a step. @returns undefined if the step has run. Otherwise a promise that resolves when it
   * has run, and rejects with its error.
   */
  run(rowCount: number, run: () => void): Promise<void> | undefined {
    if (this.#waiting.first === undefined && this.#mayRun(rowCount)) {
      this.#execute({ rowCount, run });
      return undefined;
    }
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

  /** Runs all waiting steps immediately. */
  runAll(): void {
    this.#runWhile(() => true);
  }

  #mayRun(rowCount: number): boolean {
    return rowCount < FEW_ROWS || this.#rowCount < ROWS_PER_TURN;
  }

  #execute({ rowCount, run }: Step): void {
    if (rowCount >= FEW_ROWS) {
      if (this.#rowCount === 0) setImmediate(() => this.#beginTurn());
      this.#rowCount += rowCount;
    }
    run();
  }

  #beginTurn(): void {
    this.#rowCount = 0;
    this.#runWhile((rowCount) => this.#mayRun(rowCount));
  }

  /** Runs waiting steps. A step stays first until it has run, so that no other step overtakes it. */
  #runWhile(mayRun: (rowCount: number) => boolean): void {
    for (let step = this.#waiting.first; step !== undefined; step = this.#waiting.first) {
      if (!mayRun(step.rowCount)) return;
      this.#execute(step);
      this.#waiting.shift();
    }
  }
}
