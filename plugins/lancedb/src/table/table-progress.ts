/** Converts steps of reading a table into bytes of its files. */
export class TableProgress {
  readonly #bytes: number;
  readonly #onBytes: (count: number) => void;
  #stepCount = 0;
  #steps = 0;
  #reached = 0;

  /** @param bytes size of the table's files. */
  constructor(bytes: number, onBytes: (count: number) => void) {
    this.#bytes = bytes;
    this.#onBytes = onBytes;
  }

  /** Sets the number of all steps. */
  expect(stepCount: number): void {
    this.#stepCount = stepCount;
  }

  /** Counts steps. A damaged table may need more than expected. */
  advance(steps: number): void {
    this.#steps = Math.min(this.#stepCount, this.#steps + steps);
    if (this.#steps === 0) return;
    const reached = Math.floor((this.#bytes * this.#steps) / this.#stepCount);
    this.#onBytes(reached - this.#reached);
    this.#reached = reached;
  }
}
