/** Places that were passed before the array is cut to what is left. */
const PASSED_MAX = 1_024;

/** First in, first out, each step in constant time on average. */
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

/** A step over fewer rows is not counted: it takes well under a millisecond. */
const FEW_ROWS = 16;
/** From so many rows on, about ten milliseconds, no step begins in the same turn of the event loop. */
const ROWS_A_TURN = 1_000;

interface Step {
  readonly rowCount: number;
  run(): void;
}

/** Runs steps in the order of the calls: at once, unless those of this turn had many rows, or others wait for that. */
export class PacedSteps {
  readonly #waiting = new Fifo<Step>();
  /** Of the steps that were counted in this turn. */
  #rowCount = 0;

  /** @returns undefined for a step that has run by now, else when it has; rejects with what it throws. */
  run(rowCount: number, run: () => void): Promise<void> | undefined {
    if (this.#waiting.first === undefined && this.#mayRun(rowCount)) {
      this.#take({ rowCount, run });
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

  /** Runs all that wait, however long it takes. */
  runAll(): void {
    this.#runWhile(() => true);
  }

  #mayRun(rowCount: number): boolean {
    return rowCount < FEW_ROWS || this.#rowCount < ROWS_A_TURN;
  }

  #take({ rowCount, run }: Step): void {
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

  /** A step stays the first until it has run, so that none passes it. */
  #runWhile(mayRun: (rowCount: number) => boolean): void {
    for (let step = this.#waiting.first; step !== undefined; step = this.#waiting.first) {
      if (!mayRun(step.rowCount)) return;
      this.#take(step);
      this.#waiting.shift();
    }
  }
}
